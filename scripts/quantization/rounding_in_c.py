"""What `rounding.py` computes for FP32 matrices, bit for bit, as a C program that it compiles and calls.

Memory is read once and written once: a group of weights stays in the cache between the search for its
largest and the rounding of all. In Python's text, so that records know when it changes.
"""

SOURCE = """#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

static inline float value_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

/* Rounded to FP16, for a value that is not negative: what is added has the steps that FP16 has there. */
static inline float nearest_fp16(float value) {
  uint32_t power = bits_of(value) & 0x7f800000, smallest_normal = bits_of(0x1p-14f);
  float added = value_of((power > smallest_normal ? power : smallest_normal) + (13 << 23));
  float nearest = (value + added) - added;
  return nearest > 65504 ? INFINITY : nearest;
}

static inline uint32_t round_each(
    float *restrict out, const float *restrict weights, long groups, long size, float level) {
  uint32_t widest = 0;
  for (long group = 0; group < groups; group++, out += size, weights += size) {
    uint32_t largest = 0; /* as bits, which order all magnitudes: infinity and NaN come last */
    for (long i = 0; i < size; i++) {
      uint32_t magnitude = bits_of(weights[i]) & 0x7fffffff;
      largest = magnitude > largest ? magnitude : largest;
    }
    widest = largest > widest ? largest : widest;
    float scale = nearest_fp16(value_of(largest) / level);
    float step = scale > 0 ? scale : INFINITY; /* zero would divide zero by zero */
    for (long i = 0; i < size; i++) {
      float mark = rintf(weights[i] / step);
      mark = mark > level ? level : mark < -level ? -level : mark;
      out[i] = mark * scale;
    }
  }
  return widest;
}

/* Rounds `groups` groups of `size` weights; returns the bits of the largest magnitude among them. */
uint32_t round_groups(float *out, const float *weights, long groups, long size, float level) {
  /* A size that the compiler knows is faster. */
  return size == 32 ? round_each(out, weights, groups, 32, level)
                    : round_each(out, weights, groups, size, level);
}
"""
