// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "qsm_suite_util.h"

enum { N_LETTERS = 4 };

static const struct size {
  uint32_t n, n_queries, n_letters;  // letters of the reference; of a query
  uint32_t block_threads;
} sizes[] = {
    {257, 5, 17, 16}, {3001, 40, 29, 16}, {200003, 800, 50, 128}, {2000003, 40000, 75, 128}};

struct job {
  struct qsm_job base;
  struct qsm_array reference, suffixes, queries, matches;
  const struct size *size;
};

// ---- Suffix array, by doubling: order by the first 2 k letters from ranks by the first k (Manber
// and Myers) ----

// Stable counting sort of `from` into `to` by rank[suffix + offset] + 1, 0 behind the end.
static void sort_by_rank(const uint32_t *from, uint32_t *to, const uint32_t *rank, uint32_t *counts,
                         uint32_t n, uint32_t n_ranks, uint32_t offset) {
  memset(counts, 0, (n_ranks + 2) * sizeof *counts);
  for (uint32_t i = 0; i < n; i++)
    counts[(from[i] + offset < n ? rank[from[i] + offset] + 1 : 0) + 1]++;
  for (uint32_t i = 0; i <= n_ranks; i++) counts[i + 1] += counts[i];
  for (uint32_t i = 0; i < n; i++)
    to[counts[from[i] + offset < n ? rank[from[i] + offset] + 1 : 0]++] = from[i];
}

static uint32_t rank_or_end(const uint32_t *rank, uint32_t n, uint32_t at) {
  return at < n ? rank[at] + 1 : 0;
}

static int build_suffix_array(const uint8_t *text, uint32_t *suffixes, uint32_t n) {
  uint32_t *scratch = malloc(n * sizeof *scratch), *rank = malloc(n * sizeof *rank),
           *next_rank = malloc(n * sizeof *next_rank);
  uint32_t *counts = malloc(((n > N_LETTERS ? n : N_LETTERS) + 3) * sizeof *counts);
  int error = !scratch || !rank || !next_rank || !counts ? -1 : 0;
  uint32_t n_ranks = N_LETTERS;
  for (uint32_t i = 0; !error && i < n; i++) {
    suffixes[i] = i;
    rank[i] = text[i];
  }
  for (uint32_t k = 0; !error && (k == 0 || n_ranks < n); k = k == 0 ? 1 : 2 * k) {
    sort_by_rank(suffixes, scratch, rank, counts, n, n_ranks, k);
    sort_by_rank(scratch, suffixes, rank, counts, n, n_ranks, 0);
    n_ranks = 0;
    for (uint32_t i = 0; i < n; i++) {
      int differs =
          i == 0 || rank[suffixes[i]] != rank[suffixes[i - 1]] ||
          rank_or_end(rank, n, suffixes[i] + k) != rank_or_end(rank, n, suffixes[i - 1] + k);
      n_ranks += (uint32_t)differs;
      next_rank[suffixes[i]] = n_ranks - 1;
    }
    memcpy(rank, next_rank, n * sizeof *rank);
  }
  free(scratch);
  free(rank);
  free(next_rank);
  free(counts);
  return error;
}

// ---- Matches by a suffix automaton of the reversed reference (Blumer et al., 1985), another
// structure than the kernel's ----

struct node {
  int32_t next[N_LETTERS], link;
  uint32_t length, n_ends;
};

// Adds one letter; `last` is the state of all that was read. Returns the new one.
static int32_t extend(struct node *nodes, int32_t *n_nodes, int32_t last, uint8_t letter) {
  int32_t added = (*n_nodes)++, p = last;
  nodes[added] = (struct node){
      .next = {-1, -1, -1, -1}, .link = 0, .length = nodes[last].length + 1, .n_ends = 1};
  for (; p >= 0 && nodes[p].next[letter] < 0; p = nodes[p].link) nodes[p].next[letter] = added;
  if (p < 0) return added;
  int32_t q = nodes[p].next[letter];
  if (nodes[q].length == nodes[p].length + 1) {
    nodes[added].link = q;
    return added;
  }
  int32_t copy = (*n_nodes)++;
  nodes[copy] = nodes[q];
  nodes[copy].length = nodes[p].length + 1;
  nodes[copy].n_ends = 0;
  for (; p >= 0 && nodes[p].next[letter] == q; p = nodes[p].link) nodes[p].next[letter] = copy;
  nodes[q].link = nodes[added].link = copy;
  return added;
}

// Ends of a state's words are those of the states that link to it, and its own: longest words
// first.
static int count_ends(struct node *nodes, int32_t n_nodes, uint32_t longest) {
  uint32_t *starts = calloc(longest + 2, sizeof *starts);
  int32_t *order = malloc((size_t)n_nodes * sizeof *order);
  int error = !starts || !order ? -1 : 0;
  for (int32_t i = 0; !error && i < n_nodes; i++) starts[longest - nodes[i].length + 1]++;
  for (uint32_t i = 0; !error && i <= longest; i++) starts[i + 1] += starts[i];
  for (int32_t i = 0; !error && i < n_nodes; i++) order[starts[longest - nodes[i].length]++] = i;
  for (int32_t i = 0; !error && i < n_nodes; i++) {
    int32_t link = nodes[order[i]].link;
    if (link >= 0) nodes[link].n_ends += nodes[order[i]].n_ends;
  }
  free(starts);
  free(order);
  return error;
}

// The query from its end: after each letter the state is that of the longest match which begins
// there.
static void match_query(const struct node *nodes, const uint8_t *query, uint32_t n_letters,
                        uint32_t n, uint32_t *matches) {
  int32_t state = 0;
  uint32_t length = 0;
  for (uint32_t i = n_letters; i-- > 0;) {
    while (state > 0 && nodes[state].next[query[i]] < 0) {
      state = nodes[state].link;
      length = nodes[state].length;
    }
    if (nodes[state].next[query[i]] >= 0) {
      state = nodes[state].next[query[i]];
      length++;
    }
    uint32_t count = length > 0 ? nodes[state].n_ends : n;
    matches[i] = (count < 65535 ? count : 65535) << 16 | length;
  }
}

static int match(struct job *job) {
  const struct size *size = job->size;
  struct node *nodes = malloc(2 * (size_t)size->n * sizeof *nodes);
  if (nodes == NULL) return -1;
  int32_t n_nodes = 1, last = 0;
  nodes[0] = (struct node){.next = {-1, -1, -1, -1}, .link = -1};
  for (uint32_t i = size->n; i-- > 0;)
    last = extend(nodes, &n_nodes, last, ((const uint8_t *)job->reference.host)[i]);
  int error = count_ends(nodes, n_nodes, size->n);
  for (uint32_t i = 0; !error && i < size->n_queries; i++) {
    match_query(nodes, (const uint8_t *)job->queries.host + i * size->n_letters, size->n_letters,
                size->n, (uint32_t *)job->matches.host + i * size->n_letters);
  }
  free(nodes);
  return error;
}

// Queries are pieces of the reference with a letter exchanged now and then.
static void generate(struct job *job, uint64_t seed) {
  const struct size *size = job->size;
  struct qsm_rng rng = {seed};
  uint8_t *reference = job->reference.host, *queries = job->queries.host;
  for (uint32_t i = 0; i < size->n; i++)
    reference[i] = (uint8_t)qsm_rng_range(&rng, 0, N_LETTERS - 1);
  for (uint32_t i = 0; i < size->n_queries; i++) {
    uint32_t from = (uint32_t)qsm_rng_range(&rng, 0, (int32_t)(size->n - size->n_letters));
    for (uint32_t j = 0; j < size->n_letters; j++) {
      int exchanged = qsm_rng_range(&rng, 0, 15) == 0;
      queries[i * size->n_letters + j] =
          exchanged ? (uint8_t)qsm_rng_range(&rng, 0, N_LETTERS - 1) : reference[from + j];
    }
  }
}

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  size_t n_places = (size_t)job->size->n_queries * job->size->n_letters;
  if (qsm_array_create(base, &job->reference, QSM_INPUT, job->size->n, 1) != 0 ||
      qsm_array_create(base, &job->suffixes, QSM_INPUT, job->size->n, 4) != 0 ||
      qsm_array_create(base, &job->queries, QSM_INPUT, n_places, 1) != 0 ||
      qsm_array_create(base, &job->matches, QSM_OUTPUT, n_places, 4) != 0) {
    return -1;
  }
  generate(job, seed);
  return build_suffix_array(job->reference.host, job->suffixes.host, job->size->n) != 0 ||
                 match(job) != 0
             ? -1
             : 0;
}

static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  if (base->n_launched == 1) return 0;
  *launch = (struct qsm_suite_launch){
      .symbol = "mummergpu",
      .grid = {qsm_div_up(size->n_queries * size->n_letters, size->block_threads), 1, 1},
      .block = {size->block_threads, 1, 1},
      .args = {job->reference.addr, size->n, job->suffixes.addr, job->queries.addr, size->n_queries,
               size->n_letters, job->matches.addr},
  };
  return 1;
}

const struct qsm_suite_program qsm_mummergpu = {
    .name = "mummergpu",
    .about = "longest matches of queries with a reference, on a suffix array",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source =
        "Schatz et al., \"MUMmerGPU\", BMC Bioinformatics 8, 2007; Manber and Myers, \"Suffix arrays\", SIAM J. Computing 22(5), 1993",
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
