/* frames.h - the messages between Foray and a program that is a world, byte for byte as
 * docs/outside.md has them: a header of 16 bytes, then the body, all little-endian.
 *
 * What comes from a program is not trusted: every length is checked before it is used, and
 * every complaint says what was wrong. */
#ifndef FY_FRAMES_H
#define FY_FRAMES_H

#include "base/base.h"

enum {
    FY_PROTOCOL = 1,             /* the version of the protocol */
    FY_FRAME_HEADER = 16,        /* bytes */
    FY_FRAME_MAX = 1 << 20,      /* bytes of a body, either way */
    FY_FRAME_STEP_MAX = 1 << 16, /* bytes of a STEP's body as Foray sends them, or one question */
};

typedef enum fy_frame_type {
    FY_FRAME_HELLO = 1,
    FY_FRAME_SPEC,
    FY_FRAME_RESET,
    FY_FRAME_STEP,
    FY_FRAME_REWARD,
    FY_FRAME_GOODBYE,
    FY_FRAME_ERROR,
} fy_frame_type;

typedef struct fy_frame {
    uint32_t length; /* of the body */
    uint32_t type;
    uint64_t sequence; /* an answer has that of its question */
} fy_frame;

void fy_frame_write(fy_writer *writer, fy_frame frame);
/* `header` has FY_FRAME_HEADER bytes. */
fy_frame fy_frame_read(const uint8_t *header);

/* Is this the header of an answer to the question (type, sequence), of `min` to `max`
 * bytes, or of an ERROR? */
foray_status fy_frame_check(foray_context *say, const fy_frame *frame, fy_frame_type type,
                            uint64_t sequence, size_t min, size_t max);

/* A program's own words as a text fit for terminals, for an ERROR's body. */
void fy_error_read(const uint8_t *body, size_t size, char *text, size_t room);

/* A HELLO, question or answer: the version of the protocol. */
void fy_hello_write(fy_writer *writer);
/* `who` speaks another version, if it does, in messages. */
foray_status fy_hello_read(foray_context *say, const char *who, const uint8_t *body, size_t size);

/* A spec, and the memory behind it. */
typedef struct fy_frame_spec {
    foray_system_spec spec;
    double *number; /* low, high, weights */
    const char **name;
    char *text;
    const double *weight; /* NULL: not known */
    bool deterministic;   /* simulators leave nothing to chance */
    bool sequential;      /* it remembers: an episode's steps are asked in order */
} fy_frame_spec;

/* Reads the body of a SPEC; sizes are checked as far as reading and asking needs it. */
foray_status fy_frame_spec_read(foray_context *say, const uint8_t *body, size_t size,
                                fy_frame_spec *out);
/* The body of a SPEC. */
void fy_frame_spec_write(fy_writer *writer, const fy_frame_spec *told);
void fy_frame_spec_free(fy_frame_spec *spec);

/* The body of an answer to a STEP of `count` questions: as many states, and a byte for each that
 * says whether its state is absorbing, to be known by nobody before. */
size_t fy_frame_step_size(int64_t count, int64_t dimensions);
/* done[0..most-1]: those bytes, as far as there is room. */
foray_status fy_frame_step_read(foray_context *say, const uint8_t *body, size_t size, int64_t count,
                                int64_t dimensions, double *next, uint8_t *done, int64_t max);

#endif
