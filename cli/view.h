/* view.h - systems on the command line. A system is explored through a view of it: clusters
 * of its states, and how their model is made.
 *
 * A view is written SYSTEM[@CLUSTERS[,KEY=VALUE...]], and this text is what a run stores:
 *
 *     pendulum                          a built-in system, seen through its usual clusters
 *     tank:valves=3@grid:21x21          through others
 *     pendulum@grid:41x41,draws=1000    with more draws; also accuracy=, delta=, seed=, lipschitz=
 *     pendulum@grid:5x5,continue=fresh  every step from a fresh point of its cluster
 *     exec:./lift@states,model=m.json   the model comes from a file, reality from a program
 *     exec:./lift@states,model=unstructured:states=9,actions=2,horizon=5,initial=0    nothing is
 * known
 *
 * SYSTEM is what foray_system_open takes; CLUSTERS begins with grid:, radial: or states. */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "cli.h"

struct cli_view {
    char *system_text, *clusters_text;
    char *model_path; /* or "unstructured: ..."; NULL: the model is made by aggregating */
    foray_aggregation aggregation;
    foray_continuation continuation;
    foray_system *system;
    foray_clusters *clusters;
};

#define CLI_OPTIONS_VIEW                                                                           \
    CLI_TEXT(0, "clusters", "CLUSTERS",                                                            \
             "the regions of similar states that a system is seen through; grid:31x31 (a box "     \
             "for each cell), radial:500[,width=W,nearest=N] (around 500 points) or states (each " \
             "its own); by default, a grid that suits the dimensions"),                            \
        CLI_INTEGER(0, "draws", "N", "100", 1, CLI_UNBOUNDED,                                      \
                    "Monte Carlo draws, for systems; for each cluster, action and simulator"),     \
        CLI_REAL(0, "accuracy", "X", NULL, 1e-9, 1,                                                \
                 "Monte Carlo error, for systems; takes as many draws as the error of each mean "  \
                 "needs to be at most this"),                                                      \
        CLI_INTEGER(0, "aggregate-seed", "N", "1", 0, CLI_UNBOUNDED,                               \
                    "seed of these draws, for systems"),                                           \
        CLI_TEXT(0, "continue", "HOW",                                                             \
                 "where a step of a system begins; real: in the real state, fresh: in a fresh "    \
                 "point of its cluster, so that exploring obeys the model and certificates hold"), \
        CLI_REAL(0, "lipschitz", "L", NULL, 1e-9, 1e9,                                             \
                 "how smooth a system is; what follows two states differs by at most L times "     \
                 "their distance, in total variation, which bounds the aggregation error")

#define CLI_OPTION_CONTAIN                                                                         \
    CLI_SWITCH("contain",                                                                          \
               "keep a plug-in in a process of its own; a crash in it then ends the command with " \
               "exit code 4, and everything is saved")

#define CLI_OPTION_TRUST                                                                           \
    CLI_SWITCH("trust", "start what the run file names; the program (exec:) or the shared object " \
                        "(plugin:) that it explored")

/* Does this text name a view? It may still fail to open. */
bool cli_view_names(const char *source);

/* Is nothing known about it but its sizes? */
bool cli_view_is_unstructured(const cli_view *view);

/* Opens a view from its text as it was typed; the options of CLI_OPTIONS_VIEW override the text. */
cli_exit cli_view_open(cli_session *session, const char *source, cli_view *out);
/* The view that a run explored; opens nothing if it explored a model. A system from outside
 * Foray must be the one of `typed` as well, or --trust given. `typed`: the operand that stands
 * where the world of a run does; NULL: there is none. The name of a run file never is one. */
cli_exit cli_view_of_run(cli_session *session, const foray_run *run, const char *typed,
                         cli_view *out);
/* " --trust" if a run of this world needs it to be opened again, else "". */
const char *cli_view_trust(const char *source);
void cli_view_close(cli_view *view);

/* Refuses a text that names something outside Foray, and a file as well. */
cli_exit cli_view_check_typed(cli_session *session, const char *source);
/* Opens the system that a text names: with --contain, a plug-in in a process of its own. */
cli_exit cli_system_open(cli_session *session, const char *text, foray_system **out);

/* The model that the view is explored with; shows progress while making it. */
cli_exit cli_view_model(cli_session *session, cli_view *view, foray_model **out);

/* The view as text, to be released with free(); NULL: out of memory. */
char *cli_view_text(const cli_view *view);

/* The index of the reward of this name in the system; -1: none. */
int64_t cli_view_reward(const cli_view *view, const char *name);
/* The same for all rewards of -r, as cli_rewards_open opened them; without -r, for the system's own
 * in their order. */
void cli_view_indices(const cli_session *session, const cli_view *view, const cli_rewards *rewards,
                      int64_t *index);

#endif
