/* ablation_choices.c - the choices that can be changed one at a time. */
#include "experiments/ablation.h"

#include <string.h>

enum { IN_DEFAULT = 1, IN_LITERAL = 2, IN_BOTH = 3 };

/* X(name, setting, value, the bases that it changes, words). "mode" is not a setting, but a
 * way to plan. Radii other than sharp are defined without centring and blocks, and sharp
 * without these is selfnormalised. The 1-norm surrogate takes 2^d steps: too many without
 * blocks. */
#define CHOICES(X)                                                                                 \
    X("base", NULL, NULL, IN_BOTH, "nothing is changed")                                           \
    X("clip=horizon", "clip", "horizon", IN_DEFAULT, "values are clipped at H, as printed")        \
    X("clip=remaining", "clip", "remaining", IN_LITERAL, "values are clipped at what remains")     \
    X("ties=lowest", "ties", "lowest", IN_BOTH, "equal actions: the one of lowest index")          \
    X("inner=l1", "inner", "l1", IN_DEFAULT, "inner maximisation by the 1-norm surrogate")         \
    X("inner=ascent", "inner", "ascent", IN_BOTH, "inner maximisation by ascent")                  \
    X("radius=selfnormalised", "radius", "selfnormalised", IN_BOTH,                                \
      "the self-normalised radius, without centring and blocks")                                   \
    X("radius=theorem", "radius", "theorem", IN_DEFAULT,                                           \
      "the theorem's radius, without centring and blocks")                                         \
    X("centring=off", "centring", "off", IN_DEFAULT, "forget that probabilities sum to one")       \
    X("blocks=off", "blocks", "off", IN_DEFAULT, "one confidence set for all blocks together")     \
    X("replan=every", "replan", "every", IN_DEFAULT, "a new plan in every episode")                \
    X("replan=doubling", "replan", "doubling", IN_LITERAL,                                         \
      "a new plan when a determinant doubles")                                                     \
    X("growth=0.1", "replan_growth", "0.1", IN_DEFAULT,                                            \
      "a new plan when a determinant has grown by a tenth")                                        \
    X("growth=10", "replan_growth", "10", IN_DEFAULT,                                              \
      "a new plan when a determinant has grown elevenfold")                                        \
    X("mode=optimistic", "mode", "optimistic", IN_BOTH, "policies planned with bonuses")           \
    X("mode=pessimistic", "mode", "pessimistic", IN_BOTH,                                          \
      "policies planned with bonuses taken off")                                                   \
    X("literal", NULL, NULL, IN_DEFAULT, "the paper to the letter: all of it at once")

#define NAME(name, setting, value, in, words) name,
#define WORDS(name, setting, value, in, words) words,
#define ROW(name, setting, value, in, words) {setting, value, in},
const char *const fy_ab_choice_names[] = {CHOICES(NAME)};
const char *const fy_ab_choice_words[] = {CHOICES(WORDS)};
static const struct choice {
    const char *setting, *value; /* NULL: none */
    int in;
} choices[] = {CHOICES(ROW)};
#undef NAME
#undef WORDS
#undef ROW
enum { COUNT = sizeof choices / sizeof *choices, LITERAL = COUNT - 1 };

int64_t fy_ab_choices(void)
{
    return COUNT;
}

static bool base_is_literal(const fy_lab *lab)
{
    return strcmp(fy_lab_word(lab, FY_AB_BASE, 0), "literal") == 0;
}

bool fy_ab_choice_applies(const fy_lab *lab, int64_t choice)
{
    return (choices[choice].in & (base_is_literal(lab) ? IN_LITERAL : IN_DEFAULT)) != 0;
}

static bool is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

double fy_ab_choice_weight(const fy_lab *lab, int64_t choice)
{
    bool literal = base_is_literal(lab) || choice == LITERAL;
    bool every = is(choices[choice].value, "every"),
         doubling = is(choices[choice].value, "doubling");
    return every || (literal && !doubling) ? 10 : 1;
}

int fy_ab_choice_mode(int64_t choice)
{
    if (!is(choices[choice].setting, "mode"))
        return FORAY_PLUGIN;
    int mode = 0;
    while (strcmp(foray_mode_name(mode), choices[choice].value) != 0)
        mode++;
    return mode;
}

foray_status fy_ab_settings(foray_context *ctx, const fy_lab *lab, int64_t choice, int64_t i,
                            foray_settings *out)
{
    const char *setting = choices[choice].setting;
    foray_settings_default(out);
    out->episodes = fy_lab_whole(lab, FY_AB_EPISODES);
    out->seed = fy_lab_whole(lab, FY_AB_SEED) + i;
    if (base_is_literal(lab) || choice == LITERAL)
        foray_settings_literal(out);
    if (!setting || is(setting, "mode"))
        return FORAY_OK;
    return foray_settings_set(ctx, out, setting, choices[choice].value);
}
