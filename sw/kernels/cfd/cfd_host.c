// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "qsm_math.h"
#include "qsm_suite_util.h"

enum {
  N_VARIABLES = 5,
  N_FACES = 4,
  N_STAGES = 3,
  N_PER_CUBE = 6,
  WALL = -1,
  FAR_FIELD = -2,
  SHUFFLE = 64
};

// The mesh: nx * ny * nz cubes but those in the middle third of all directions, the body; six
// tetrahedra per cube.
static const struct size {
  uint32_t nx, ny, nz, n_steps, block_threads;
} sizes[] = {{3, 3, 3, 1, 16}, {6, 6, 4, 2, 16}, {20, 18, 12, 2, 128}, {44, 40, 36, 2, 256}};

// Density, momenta and energy where the body is far: the speed of sound is 1, of the flow 1.2, as
// in Rodinia.
static const float FAR[N_VARIABLES] = {1.4f, 1.68f, 0.0f, 0.0f, 3.508f};

struct job {
  struct qsm_job base;
  struct qsm_array neighbours, normals, surfaces, far_field, start, lengths, fluxes, scratch,
      result;
  const struct size *size;
  uint32_t n;  // elements
};

// ---- The mesh ----

struct corner {
  float at[3];
};

struct face {
  uint32_t corners[3], element, number;  // corners in ascending order; `number` of the element's
};

static int in_middle(uint32_t at, uint32_t n) { return at / (n / 3) == 1; }

static int in_body(const struct size *size, uint32_t cube) {
  uint32_t x = cube % size->nx, y = cube / size->nx % size->ny, z = cube / (size->nx * size->ny);
  return in_middle(x, size->nx) && in_middle(y, size->ny) && in_middle(z, size->nz);
}

static uint32_t n_elements(const struct size *size) {
  uint32_t n = 0;
  for (uint32_t cube = 0; cube < size->nx * size->ny * size->nz; cube++)
    n += in_body(size, cube) ? 0 : N_PER_CUBE;
  return n;
}

// The six ways from a cube's first corner to its last along three edges are its tetrahedra (Kuhn),
// which fit those of the cubes around.
static void cut_cube(const struct size *size, uint32_t cube, uint32_t (*elements)[4]) {
  static const uint8_t ways[N_PER_CUBE][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                              {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  uint32_t x = cube % size->nx, y = cube / size->nx % size->ny, z = cube / (size->nx * size->ny);
  const uint32_t edges[3] = {1, size->nx + 1, (size->nx + 1) * (size->ny + 1)};
  for (uint32_t way = 0; way < N_PER_CUBE; way++) {
    elements[way][0] = x + y * edges[1] + z * edges[2];
    for (uint32_t i = 0; i < 3; i++) elements[way][i + 1] = elements[way][i] + edges[ways[way][i]];
  }
}

// Elements near each other have numbers near each other, but in no order, as in a mesh whose
// numbers were made anew for locality.
static void cut(const struct job *job, struct qsm_rng *rng, uint32_t (*elements)[4]) {
  uint32_t n = 0;
  for (uint32_t cube = 0; cube < job->size->nx * job->size->ny * job->size->nz; cube++) {
    if (in_body(job->size, cube)) continue;
    cut_cube(job->size, cube, elements + n);
    n += N_PER_CUBE;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t last = i + SHUFFLE < n ? i + SHUFFLE : n - 1,
             other = (uint32_t)qsm_rng_range(rng, (int32_t)i, (int32_t)last), swap[4];
    memcpy(swap, elements[i], sizeof swap);
    memcpy(elements[i], elements[other], sizeof swap);
    memcpy(elements[other], swap, sizeof swap);
  }
}

// Corners lie off the regular grid by up to a tenth.
static void place(const struct size *size, struct qsm_rng *rng, struct corner *corners) {
  for (uint32_t z = 0; z <= size->nz; z++) {
    for (uint32_t y = 0; y <= size->ny; y++) {
      for (uint32_t x = 0; x <= size->nx; x++, corners++) {
        *corners = (struct corner){{(float)x, (float)y, (float)z}};
        for (int axis = 0; axis < 3; axis++) corners->at[axis] += qsm_rng_float(rng, -0.1f, 0.1f);
      }
    }
  }
}

static int compare_faces(const void *a, const void *b) {
  const struct face *x = a, *y = b;
  return memcmp(x->corners, y->corners, sizeof x->corners);
}

// Face i of an element is the one without its corner i.
static struct face face_of(uint32_t (*elements)[4], uint32_t element, uint32_t number) {
  struct face face = {{0}, element, number};
  for (uint32_t i = 0, k = 0; i < 4; i++) {
    if (i != number) face.corners[k++] = elements[element][i];
  }
  qsort(face.corners, 3, sizeof face.corners[0], qsm_ascending_words);
  return face;
}

// On the mesh's outside is the far field; all other faces that only one element has are the body's.
static int behind(const struct size *size, const struct face *face) {
  const uint32_t n[3] = {size->nx, size->ny, size->nz};
  for (uint32_t axis = 0, stride = 1; axis < 3; stride *= n[axis] + 1, axis++) {
    uint32_t n_first = 0, n_last = 0;
    for (int i = 0; i < 3; i++) {
      uint32_t at = face->corners[i] / stride % (n[axis] + 1);
      n_first += at == 0, n_last += at == n[axis];
    }
    if (n_first == 3 || n_last == 3) return FAR_FIELD;
  }
  return WALL;
}

// Elements with the same corners of a face are neighbours: sorted by them they stand together.
static void join(const struct job *job, uint32_t (*elements)[4], struct face *faces) {
  int32_t *neighbours = job->neighbours.host;
  uint32_t n = job->n, n_faces = N_FACES * n;
  for (uint32_t i = 0; i < n_faces; i++) faces[i] = face_of(elements, i / N_FACES, i % N_FACES);
  qsort(faces, n_faces, sizeof *faces, compare_faces);
  for (uint32_t i = 0; i < n_faces; i++) {
    struct face *face = &faces[i], *next = face + 1;
    int32_t *own = &neighbours[face->number * n + face->element];
    if (i + 1 == n_faces || compare_faces(face, next) != 0) {
      *own = behind(job->size, face);
      continue;
    }
    *own = (int32_t)next->element;
    neighbours[next->number * n + next->element] = (int32_t)face->element;
    i++;
  }
}

// Half the product of two edges; away from the corner that the face is without.
static void measure(const struct job *job, uint32_t (*elements)[4], const struct corner *corners,
                    uint32_t element) {
  float *normals = job->normals.host, *surfaces = job->surfaces.host;
  for (uint32_t face = 0; face < N_FACES; face++) {
    const float *from = corners[elements[element][(face + 1) % 4]].at,
                *a = corners[elements[element][(face + 2) % 4]].at;
    const float *b = corners[elements[element][(face + 3) % 4]].at,
                *inner = corners[elements[element][face]].at;
    float normal[3], inwards = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
      int next = (axis + 1) % 3, after = (axis + 2) % 3;
      normal[axis] = 0.5f * ((a[next] - from[next]) * (b[after] - from[after]) -
                             (a[after] - from[after]) * (b[next] - from[next]));
      inwards += normal[axis] * (inner[axis] - from[axis]);
    }
    for (uint32_t axis = 0; axis < 3; axis++)
      normals[(3 * face + axis) * job->n + element] = inwards > 0.0f ? -normal[axis] : normal[axis];
    surfaces[element] +=
        sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  }
}

static int make_mesh(struct job *job, struct qsm_rng *rng) {
  const struct size *size = job->size;
  uint32_t(*elements)[4] = calloc(job->n, sizeof *elements);
  struct face *faces = calloc((size_t)N_FACES * job->n, sizeof *faces);
  struct corner *corners =
      calloc((size_t)(size->nx + 1) * (size->ny + 1) * (size->nz + 1), sizeof *corners);
  int failed = elements == NULL || faces == NULL || corners == NULL;
  if (!failed) {
    cut(job, rng, elements);
    place(size, rng, corners);
    join(job, elements, faces);
    for (uint32_t element = 0; element < job->n; element++)
      measure(job, elements, corners, element);
  }
  free(elements);
  free(faces);
  free(corners);
  return failed ? -1 : 0;
}

// ---- The flow ----

// Of one element: velocity, pressure, and how fast waves go.
struct state {
  float velocity[3], pressure, waves;
};

static struct state state_of(const float variables[N_VARIABLES]) {
  struct state state;
  float volume = 1.0f / variables[0], speed2;
  for (int axis = 0; axis < 3; axis++) state.velocity[axis] = volume * variables[1 + axis];
  speed2 = fmaf(state.velocity[0], state.velocity[0],
                fmaf(state.velocity[1], state.velocity[1], state.velocity[2] * state.velocity[2]));
  state.pressure = (1.4f - 1.0f) * fmaf(-0.5f * variables[0], speed2, variables[4]);
  state.waves = sqrtf(speed2) + sqrtf(1.4f * state.pressure * volume);
  return state;
}

static void gather(const struct job *job, const float *variables, uint32_t element,
                   float own[N_VARIABLES]) {
  for (uint32_t i = 0; i < N_VARIABLES; i++) own[i] = variables[i * job->n + element];
}

// What streams through one face; `other` is NULL at the body, which only pushes back.
static void through_face(const float own[N_VARIABLES], const float *other, const float s[3],
                         float flux[N_VARIABLES]) {
  struct state a = state_of(own), b;
  if (other == NULL) {
    for (int axis = 0; axis < 3; axis++)
      flux[1 + axis] = fmaf(-a.pressure, s[axis], flux[1 + axis]);
    return;
  }
  b = state_of(other);
  float along_a = fmaf(a.velocity[0], s[0], fmaf(a.velocity[1], s[1], a.velocity[2] * s[2]));
  float along_b = fmaf(b.velocity[0], s[0], fmaf(b.velocity[1], s[1], b.velocity[2] * s[2]));
  float smear = 0.5f * sqrtf(fmaf(s[0], s[0], fmaf(s[1], s[1], s[2] * s[2]))) * (a.waves + b.waves),
        out[N_VARIABLES];
  for (int i = 0; i < N_VARIABLES; i++) out[i] = fmaf(own[i], along_a, other[i] * along_b);
  for (int axis = 0; axis < 3; axis++)
    out[1 + axis] = fmaf(a.pressure + b.pressure, s[axis], out[1 + axis]);
  out[4] = fmaf(a.pressure, along_a, fmaf(b.pressure, along_b, out[4]));
  for (int i = 0; i < N_VARIABLES; i++)
    flux[i] = fmaf(-0.5f, fmaf(smear, own[i] - other[i], out[i]), flux[i]);
}

static void find_fluxes(const struct job *job, const float *variables) {
  const int32_t *neighbours = job->neighbours.host;
  const float *normals = job->normals.host;
  float *fluxes = job->fluxes.host;
  for (uint32_t element = 0; element < job->n; element++) {
    float own[N_VARIABLES], other[N_VARIABLES], flux[N_VARIABLES] = {0.0f};
    gather(job, variables, element, own);
    for (uint32_t face = 0; face < N_FACES; face++) {
      int32_t neighbour = neighbours[face * job->n + element];
      const float normal[3] = {normals[3 * face * job->n + element],
                               normals[(3 * face + 1) * job->n + element],
                               normals[(3 * face + 2) * job->n + element]};
      if (neighbour >= 0) gather(job, variables, (uint32_t)neighbour, other);
      through_face(own,
                   neighbour == WALL        ? NULL
                   : neighbour == FAR_FIELD ? FAR
                                            : other,
                   normal, flux);
    }
    for (uint32_t i = 0; i < N_VARIABLES; i++) fluxes[i * job->n + element] = flux[i];
  }
}

// One step from `before`, which stays, to `after`.
static void step(const struct job *job, const float *before, float *after) {
  const float *surfaces = job->surfaces.host, *fluxes = job->fluxes.host;
  float *lengths = job->lengths.host;
  for (uint32_t element = 0; element < job->n; element++) {
    float own[N_VARIABLES];
    gather(job, before, element, own);
    lengths[element] = 1.0f / (surfaces[element] * state_of(own).waves);
  }
  for (uint32_t stage = 0; stage < N_STAGES; stage++) {
    find_fluxes(job, stage == 0 ? before : after);
    for (uint32_t i = 0; i < N_VARIABLES * job->n; i++)
      after[i] = fmaf(lengths[i % job->n] / (float)(N_STAGES - stage), fluxes[i], before[i]);
  }
}

// It begins as the far field, disturbed by up to a hundredth.
static int generate(struct job *job, uint64_t seed) {
  struct qsm_rng rng = {seed};
  float *start = job->start.host, *scratch = job->scratch.host, *result = job->result.host;
  if (make_mesh(job, &rng) != 0) return -1;
  memcpy(job->far_field.host, FAR, sizeof FAR);
  for (uint32_t i = 0; i < N_VARIABLES * job->n; i++)
    result[i] = start[i] = FAR[i / job->n] + qsm_rng_float(&rng, -0.01f, 0.01f);
  for (uint32_t i = 0; i < job->size->n_steps; i++) {
    memcpy(scratch, result, N_VARIABLES * job->n * sizeof *result);
    step(job, scratch, result);
  }
  return 0;
}

// ---- The program ----

static int create(struct qsm_job *base, uint64_t seed, enum qsm_suite_size size) {
  struct job *job = (struct job *)base;
  job->size = &sizes[size];
  job->n = n_elements(job->size);
  const struct {
    struct qsm_array *array;
    enum qsm_role role;
    uint32_t n_elements;
  } arrays[] = {{&job->neighbours, QSM_INPUT, N_FACES * job->n},
                {&job->normals, QSM_INPUT, 3 * N_FACES * job->n},
                {&job->surfaces, QSM_INPUT, job->n},
                {&job->far_field, QSM_INPUT, N_VARIABLES},
                {&job->start, QSM_INPUT, N_VARIABLES * job->n},
                {&job->lengths, QSM_OUTPUT, job->n},
                {&job->fluxes, QSM_OUTPUT, N_VARIABLES * job->n},
                {&job->scratch, QSM_SCRATCH, N_VARIABLES * job->n},
                {&job->result, QSM_OUTPUT, N_VARIABLES * job->n}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    if (qsm_array_create(base, arrays[i].array, arrays[i].role, arrays[i].n_elements, 4) != 0)
      return -1;
  }
  return generate(job, seed);
}

// A step: its lengths, then fluxes and advance of each stage.
static int next(struct qsm_job *base, struct qsm_suite_launch *launch) {
  const struct job *job = (const struct job *)base;
  const struct size *size = job->size;
  uint32_t step = base->n_launched / (1 + 2 * N_STAGES),
           part = base->n_launched % (1 + 2 * N_STAGES), stage = (part - 1) / 2;
  if (step == size->n_steps) return 0;
  struct qsm_from_to turn =
      qsm_alternate(&job->start, &job->scratch, &job->result, step, size->n_steps);
  if (part == 0) {
    *launch = (struct qsm_suite_launch){
        .symbol = "cfd_step_lengths",
        .args = {turn.from, job->surfaces.addr, job->lengths.addr, job->n}};
  } else if (part % 2 == 1) {
    *launch = (struct qsm_suite_launch){
        .symbol = "cfd_fluxes",
        .args = {stage == 0 ? turn.from : turn.to, job->neighbours.addr, job->normals.addr,
                 job->far_field.addr, job->fluxes.addr, job->n}};
  } else {
    *launch = (struct qsm_suite_launch){
        .symbol = "cfd_advance",
        .args = {turn.from, job->lengths.addr, job->fluxes.addr, turn.to, job->n, stage}};
  }
  launch->grid[0] = qsm_div_up(job->n, size->block_threads), launch->grid[1] = 1,
  launch->grid[2] = 1;
  launch->block[0] = size->block_threads, launch->block[1] = 1, launch->block[2] = 1;
  return 1;
}

const struct qsm_suite_program qsm_cfd = {
    .name = "cfd",
    .about = "flow around a body: Euler equations, finite volumes on an unstructured mesh",
    .bound = "memory",
    .paper = "LoGA (Rodinia)",
    .source =
        "Corrigan, Camelli, Loehner, Wallin, \"Running unstructured grid based CFD solvers on modern graphics hardware\", AIAA 2009-4001",
    .needs_fpu = 1,
    .flushable = 1,
    .job_bytes = sizeof(struct job),
    .create = create,
    .next = next,
};
