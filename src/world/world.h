/* world.h - how built-in worlds are described, and what they share.
 *
 * A built-in world is a family of models whose theta is known. Each lies in a
 * file of its own that ends with an fy_world_kind: a name, the parameters, and
 * the function that fills a builder. Adding one is one file and one row of the
 * table in builtin.c. */
#ifndef FY_WORLD_H
#define FY_WORLD_H

#include "base/parameter.h"

typedef struct fy_world_kind {
    const char *name;
    const char *summary;
    const foray_parameter *parameter;
    int64_t parameters;
    /* Creates a builder and fills it. `value` holds the parameters in the order
     * of the table, each within its range; how they fit together is for `build`
     * to check. *builder is set as soon as there is one, and is the caller's to
     * finish and to destroy; what goes wrong while it is filled shows then. */
    foray_status (*build)(foray_context *ctx, const double *value, foray_builder **builder);
} fy_world_kind;

/* A parameter that every world has. */
#define FY_HORIZON(steps) FY_INTEGER("horizon", steps, 1, 1e6, "steps per episode")

/* For those who drive a world: where its messages go, and whether it is the world
 * of a model, so that model and seed tell everything about it. */
const foray_context *fy_world_context(const foray_world *world);
bool fy_world_is_of_model(const foray_world *world);
/* Of a world that does not obey its model: a system that is seen through clusters. */
void fy_world_mark_aggregated(foray_world *world);
bool fy_world_is_aggregated(const foray_world *world);
/* Did the last step lead to an absorbing state, as far as the world says? */
bool fy_world_ended(const foray_world *world);
/* Was the episode cut off after it? */
bool fy_world_was_cut(const foray_world *world);
/* Of a world that plays whole episodes (foray_world_ops.episode). What the states are is for the
 * caller to check. */
bool fy_world_plays_episodes(const foray_world *world);
foray_status fy_world_episode(foray_world *world, const foray_draw *draw, int64_t horizon,
                              int64_t states, const int32_t *action, int32_t *state);

/* Refuses a spec that asks for more than there is, before memory is touched. `numbers` is about how
 * many the model will hold: a product of sizes, as a double so that it cannot overflow. While it is
 * built, each takes 12 bytes (where many pairs share a law) to 28. */
enum { FY_WORLD_BYTES = 12 };
foray_status fy_world_check_size(foray_context *ctx, const char *world, double numbers);

/* ------------------------------------------------------- names and layouts */

/* Puts a state on the map, and names it. */
void fy_world_cell(foray_builder *builder, int64_t state, int64_t row, int64_t col,
                   const char *name);

/* A map of one row: state s in column s, named "<prefix>s". */
void fy_world_line(foray_builder *builder, int64_t states, const char *prefix);

/* Names actions 0..count-1. */
void fy_world_actions(foray_builder *builder, int64_t count, const char *const *name);

/* A builder of `classes` outcome classes that have equally many outcomes each. */
foray_status fy_world_classes(foray_context *ctx, int64_t states, int64_t actions, int64_t horizon,
                              int64_t classes, int64_t outcomes, foray_builder **builder);

/* The four directions of a map, clockwise: turning right is +1, left is +3. */
enum { FY_UP, FY_RIGHT, FY_DOWN, FY_LEFT, FY_DIRECTIONS };
extern const int fy_direction_row[FY_DIRECTIONS], fy_direction_col[FY_DIRECTIONS];
extern const char *const fy_direction_name[FY_DIRECTIONS];

/* -------------------------------------------------------------------- zones */

/* `length` places in `zones` contiguous stretches of nearly equal size. */
int64_t fy_zone_of(int64_t place, int64_t length, int64_t zones);

/* Success probability of a zone: evenly from success - spread to success + spread. */
double fy_zone_success(double success, double spread, int64_t zone, int64_t zones);

/* Refuses success +- spread outside [0,1]. */
foray_status fy_zone_check(foray_context *ctx, const char *world, double success, double spread);

/* ------------------------------------------------------ probability vectors */

/* A uniform random number in [0,1) that belongs to (seed, which, i, j). */
double fy_world_random(double seed, uint64_t which, uint32_t i, uint32_t j);

/* out[0..n-1]: uniform on the simplex of probability vectors, for (seed, which). */
void fy_random_simplex(double seed, uint64_t which, int64_t n, double *out);

/* A count that nothing bounds, cut at `max`: out[k] = P(N = k) for k < max and
 * out[max] = P(N >= max). */
void fy_poisson(double mean, int64_t max, double *out);
void fy_geometric(double mean, int64_t max, double *out);

/* --------------------------------------- texts that name something built in */

/* Row `index` of a table; false past its end. */
typedef bool (*fy_spec_table)(int64_t index, foray_world_info *info);

/* Which row `text` names, and its parameters, which are numbers: value[FY_MAX_PARAMETERS],
 * each within its range; what is not mentioned has its default. `what` stands in messages:
 * "world". */
foray_status fy_spec_read(foray_context *ctx, const char *what, fy_spec_table table,
                          const char *text, int64_t *index, double *value);

/* Does `text` name a row, whatever its parameters? */
bool fy_spec_names(fy_spec_table table, const char *text);

/* ----------------------------------------- models of which nothing is known */

/* "open" and its parameters, as a table of one row. */
bool fy_unstructured_describe(int64_t index, foray_world_info *info);

/* An unstructured model, "unstructured:states=S,actions=A,horizon=H[,initial=FIRST]": nothing is
 * known but the sizes, and any state may follow any other (docs/outside.md). FIRST, where episodes
 * begin: a state; several, equally likely, as 3+7, or with probabilities as 3:0.25+7:0.75; unknown
 * (the default). With names for its actions, or without (names = 0). Such models are explored by
 * inverse-count, random and recorded, in memory that grows with what was seen; functions
 * that need features or successors refuse them. */
foray_status fy_model_of_sizes(foray_context *ctx, const char *text, int64_t names,
                               const char *const *action_name, foray_model **out);

#endif
