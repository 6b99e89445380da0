// SPDX-License-Identifier: Apache-2.0
// Compressible flow without friction around a body: the Euler equations in three dimensions by
// finite volumes on a mesh of tetrahedra (Corrigan, Camelli, Loehner, Wallin, "Running unstructured
// grid based CFD solvers on modern graphics hardware", AIAA 2009-4001, which is Rodinia's cfd).
// Steps have three stages and each element its own length of time, as only the steady flow is asked
// for (Jameson, Schmidt, Turkel, AIAA 81-1259). A thread per element; the values of one variable
// lie together.
#include <qsm.h>
#include <qsm_math.h>

enum { DENSITY, MOMENTUM, ENERGY = MOMENTUM + 3, N_VARIABLES, N_FACES = 4 };
enum { WALL = -1, FAR_FIELD = -2 };  // in place of a neighbour

#define GAMMA 1.4f

struct flow {
  float variable[N_VARIABLES];
};

// What follows from the variables.
struct state {
  float velocity[3], pressure, speed_and_sound;
};

static struct flow load(const float *variables, unsigned element, unsigned stride) {
  struct flow flow;
  for (unsigned i = 0; i < N_VARIABLES; i++) flow.variable[i] = variables[i * stride + element];
  return flow;
}

static float dot(const float *a, const float *b) {
  return fmaf(a[0], b[0], fmaf(a[1], b[1], a[2] * b[2]));
}

static struct state state_of(const struct flow *flow) {
  struct state state;
  float volume = 1.0f / flow->variable[DENSITY];
  for (unsigned axis = 0; axis < 3; axis++)
    state.velocity[axis] = volume * flow->variable[MOMENTUM + axis];
  float speed2 = dot(state.velocity, state.velocity);
  state.pressure =
      (GAMMA - 1.0f) * fmaf(-0.5f * flow->variable[DENSITY], speed2, flow->variable[ENERGY]);
  state.speed_and_sound = sqrtf(speed2) + sqrtf(GAMMA * state.pressure * volume);
  return state;
}

// How long a step of each element may be, per volume. surfaces: area of its faces.
__global__ void cfd_step_lengths(const float *variables, const float *surfaces, float *lengths,
                                 unsigned n) {
  unsigned element = blockIdx.x * blockDim.x + threadIdx.x;
  if (element >= n) return;
  struct flow flow = load(variables, element, n);
  lengths[element] = 1.0f / (surfaces[element] * state_of(&flow).speed_and_sound);
}

// What streams out through a face is the mean of what streams on both sides, and a difference
// between them smears as far as waves go.
static void add_face(struct flow *sum, const struct flow *own, const struct state *own_state,
                     const struct flow *other, const struct state *other_state,
                     const float *normal) {
  float along = dot(own_state->velocity, normal), other_along = dot(other_state->velocity, normal),
        pressure = own_state->pressure + other_state->pressure;
  float smear = 0.5f * sqrtf(dot(normal, normal)) *
                (own_state->speed_and_sound + other_state->speed_and_sound);
  for (unsigned i = 0; i < N_VARIABLES; i++) {
    float out = fmaf(own->variable[i], along, other->variable[i] * other_along);
    if (i == ENERGY)
      out = fmaf(own_state->pressure, along, fmaf(other_state->pressure, other_along, out));
    else if (i != DENSITY)
      out = fmaf(pressure, normal[i - MOMENTUM], out);
    sum->variable[i] =
        fmaf(-0.5f, fmaf(smear, own->variable[i] - other->variable[i], out), sum->variable[i]);
  }
}

// What streams into each element. neighbours: behind face 0 of all elements, then face 1 ...;
// normals: as long as the face is large, outwards, x of face 0 of all elements, then y ...
// far_field: its variables.
__global__ void cfd_fluxes(const float *variables, const int *neighbours, const float *normals,
                           const float *far_field, float *fluxes, unsigned n) {
  unsigned element = blockIdx.x * blockDim.x + threadIdx.x;
  if (element >= n) return;
  struct flow own = load(variables, element, n), sum = {{0.0f}};
  struct state own_state = state_of(&own);
#pragma unroll 1
  for (unsigned face = 0; face < N_FACES; face++) {
    int neighbour = neighbours[face * n + element];
    float normal[3];
    for (unsigned axis = 0; axis < 3; axis++)
      normal[axis] = normals[(3 * face + axis) * n + element];
    if (neighbour == WALL) {
      for (unsigned axis = 0; axis < 3; axis++)
        sum.variable[MOMENTUM + axis] =
            fmaf(-own_state.pressure, normal[axis], sum.variable[MOMENTUM + axis]);
      continue;
    }
    struct flow other =
        neighbour == FAR_FIELD ? load(far_field, 0, 1) : load(variables, (unsigned)neighbour, n);
    struct state other_state = state_of(&other);
    add_face(&sum, &own, &own_state, &other, &other_state, normal);
  }
  for (unsigned i = 0; i < N_VARIABLES; i++) fluxes[i * n + element] = sum.variable[i];
}

// Stage `stage` of three goes a third, a half and the whole of the step from where the step began.
__global__ void cfd_advance(const float *before, const float *lengths, const float *fluxes,
                            float *after, unsigned n, unsigned stage) {
  unsigned element = blockIdx.x * blockDim.x + threadIdx.x;
  if (element >= n) return;
  float part = lengths[element] / (float)(3 - stage);
  for (unsigned i = element; i < N_VARIABLES * n; i += n)
    after[i] = fmaf(part, fluxes[i], before[i]);
}
