// SPDX-License-Identifier: Apache-2.0
// Huffman encoding of bytes into one stream of bits, first bit first (Huffman, Proc. IRE 40(9),
// 1952), in parallel as Balevic has it ("Parallel variable-length encoding on GPGPUs", Euro-Par
// 2009): the lengths of the codes are added up to where each begins, within blocks, then over
// blocks; then every thread puts its own codes into the stream. Two threads may share a word of it,
// so bits are added with atomics. Shared memory: two words per thread.
#include <qsm.h>

enum { PER_THREAD = 8 };

// Inclusive sums over the threads of the block, one word each (Hillis and Steele, "Data parallel
// algorithms", 1986).
static unsigned scan(unsigned value) {
  unsigned *from = qsm_dynamic_shared(), *to = from + blockDim.x;
  unsigned x = threadIdx.x;
  from[x] = value;
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    to[x] = from[x] + (x >= distance ? from[x - distance] : 0);
    __syncthreads();
    unsigned *swap = from;
    from = to;
    to = swap;
  }
  return from[x];
}

static unsigned own_bits(const uint8_t *text, unsigned n, const uint8_t *lengths, unsigned first) {
  unsigned n_bits = 0;
  for (unsigned i = first; i < first + PER_THREAD && i < n; i++) n_bits += lengths[text[i]];
  return n_bits;
}

// Bits of each block's part of the text.
__global__ void huffman_count(const uint8_t *text, unsigned n, const uint8_t *lengths,
                              unsigned *block_bits) {
  unsigned sum =
      scan(own_bits(text, n, lengths, PER_THREAD * (blockIdx.x * blockDim.x + threadIdx.x)));
  if (threadIdx.x == blockDim.x - 1) block_bits[blockIdx.x] = sum;
}

// Where each block begins; one block of threads does it, a stretch of blockDim.x blocks at a time.
__global__ void huffman_offsets(const unsigned *block_bits, unsigned *block_starts,
                                unsigned n_blocks) {
  unsigned before = 0, *sums = qsm_dynamic_shared();
  for (unsigned first = 0; first < n_blocks; first += blockDim.x) {
    unsigned block = first + threadIdx.x;
    unsigned n_bits = block < n_blocks ? block_bits[block] : 0;
    unsigned sum = scan(n_bits);
    if (block < n_blocks) block_starts[block] = before + sum - n_bits;
    __syncthreads();
    sums[threadIdx.x] = sum;
    __syncthreads();
    before += sums[blockDim.x - 1];
    __syncthreads();
  }
}

// codes: the bits of each byte's code, its first bit lowest. stream: zeros.
__global__ void huffman_encode(const uint8_t *text, unsigned n, const uint8_t *lengths,
                               const unsigned *codes, const unsigned *block_starts,
                               unsigned *stream) {
  unsigned first = PER_THREAD * (blockIdx.x * blockDim.x + threadIdx.x);
  unsigned n_bits = own_bits(text, n, lengths, first);
  unsigned at = block_starts[blockIdx.x] + scan(n_bits) - n_bits;
  unsigned long long pending = 0;  // bits of the word at `at` and the next
  unsigned n_pending = at % 32;
  unsigned *word = stream + at / 32;
  for (unsigned i = first; i < first + PER_THREAD && i < n; i++) {
    pending |= (unsigned long long)codes[text[i]] << n_pending;
    n_pending += lengths[text[i]];
    if (n_pending < 32) continue;
    atomicOr(word++, (unsigned)pending);
    pending >>= 32;
    n_pending -= 32;
  }
  if ((unsigned)pending != 0) atomicOr(word, (unsigned)pending);
}
