// SPDX-License-Identifier: Apache-2.0
// A property of the front end's proofs: it is proved; where a proof begins in any state in which
// all of them hold, it is assumed in the first cycle (starts).
`define FRONT_HOLDS(NAME, COND) \
  begin if (starts) assume (COND); else NAME: assert (COND); end
