// SPDX-License-Identifier: Apache-2.0
// Maximal matches of many short queries with one reference, the work of MUMmerGPU (Schatz et al.,
// BMC Bioinformatics 8, 2007), on a suffix array instead of its suffix tree (Manber and Myers,
// "Suffix arrays", SIAM J. Computing 22(5), 1993): a thread takes one place of one query and
// narrows the range of suffixes that begin like it, letter by letter, each time by two binary
// searches, until none is left. It writes the length of the match and how often it occurs.
#include <qsm.h>

// First suffix in low .. high - 1 whose letter at `depth` is at least `letter`, a suffix that ends
// there counting as less than all letters; `high` when there is none.
static unsigned lower_bound(const uint8_t *reference, unsigned n, const unsigned *suffixes,
                            unsigned low, unsigned high, unsigned depth, unsigned letter) {
  while (low < high) {
    unsigned middle = (low + high) / 2, at = suffixes[middle] + depth;
    if (at >= n || reference[at] < letter)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// suffixes: where the n suffixes of the reference begin, in ascending order. matches: per query and
// place, two halves of a word: length in the lower, occurrences in the upper, at most 65535.
__global__ void mummergpu(const uint8_t *reference, unsigned n, const unsigned *suffixes,
                          const uint8_t *queries, unsigned n_queries, unsigned n_letters,
                          unsigned *matches) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n_queries * n_letters) return;
  unsigned most = n_letters - i % n_letters;  // letters up to the end of the query
  unsigned low = 0, high = n, length = 0;
  for (; length < most; length++) {
    unsigned letter = queries[i + length];
    unsigned first = lower_bound(reference, n, suffixes, low, high, length, letter);
    unsigned end = lower_bound(reference, n, suffixes, first, high, length, letter + 1);
    if (first == end) break;
    low = first;
    high = end;
  }
  unsigned count = high - low;
  matches[i] = (count < 65535 ? count : 65535) << 16 | length;
}
