/* site.h - systems on the command line: places to explore that are larger than any model.
 *
 * A site is written SYSTEM[@VIEW], and this text is what a run keeps:
 *
 *     pendulum                          a built-in system, seen through its usual clusters
 *     tank:valves=3@grid:21x21          through others
 *     pendulum@grid:41x41,draws=1000    with more draws; also accuracy=, delta=, seed=
 *     exec:./lift@states,model=m.json   the model comes from a file, reality from a program
 *
 * SYSTEM is what foray_system_open takes, VIEW begins with grid:, radial: or states. */
#ifndef CLI_SITE_H
#define CLI_SITE_H

#include "cli.h"

struct cli_site {
    char *system_text, *clusters_text;
    char *model_path; /* NULL: the model is made by aggregating */
    int cached;       /* FORAY_CACHE_..., once it is made */
    foray_aggregation aggregation;
    foray_system *system;
    foray_clusters *clusters;
};

#define CLI_OPTIONS_VIEW                                                                           \
    {.name = "clusters",                                                                           \
     .value = "CLUSTERS",                                                                          \
     .help = "systems: what states are seen through, grid:31x31, radial:500[,width=W,nearest=N] "  \
             "or states; without it a grid that suits the dimensions"},                            \
        {.name = "draws",                                                                          \
         .value = "N",                                                                             \
         .fallback = "100",                                                                        \
         .help = "systems: Monte Carlo draws for each cluster, action and simulator"},             \
        {.name = "accuracy",                                                                       \
         .value = "X",                                                                             \
         .help = "systems: as many draws as make the Monte Carlo error of a mean at most this"},   \
        {.name = "aggregate-seed",                                                                 \
         .value = "N",                                                                             \
         .fallback = "1",                                                                          \
         .help = "systems: seed of these draws"},                                                  \
    {                                                                                              \
        .name = "cache", .value = "DIR", .words = CLI_WORDS_FILE,                                  \
        .help = "systems: keep the model there, and find it there the next time"                   \
    }

#define CLI_OPTION_TRUST                                                                           \
    {                                                                                              \
        .name = "trust", .help = "start the program or load the shared object that the run "       \
                                 "explored (exec:, plugin:), as its file says"                     \
    }

/* Does this text name a site? It may still fail to open. */
bool cli_site_names(const char *source);

/* Opens a site: the text, and the options of CLI_OPTIONS_VIEW, which win. */
cli_exit cli_site_open(cli_session *session, const char *source, cli_site *out);
/* The site that a run explored, if it did explore one: else nothing is opened. One from
 * outside Foray must be named on the command line as well, or --trust given. */
cli_exit cli_site_of_run(cli_session *session, const foray_run *run, cli_site *out);
/* " --trust" if a run of this world needs it to be opened once more, else "". */
const char *cli_site_trust(const char *source);
void cli_site_close(cli_site *site);

/* The model that the site is explored with; shows how far it is. */
cli_exit cli_site_model(cli_session *session, cli_site *site, foray_model **out);

/* The site as text, to be released with free(); NULL: out of memory. */
char *cli_site_text(const cli_site *site);

/* The reward that the system calls so; -1: none. */
int64_t cli_site_reward(const cli_site *site, const char *name);

#endif
