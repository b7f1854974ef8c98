/* shard.c - work that several processes share: --shard I/N of foray compare and foray lab. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "progress.h"
#include "output.h"

cli_exit cli_shard_read(cli_session *session, foray_shard *out)
{
    const char *text = cli_value(session, "shard"), *slash = text ? strchr(text, '/') : NULL;
    char number[32];
    *out = (foray_shard){0, 0};
    if (!text)
        return CLI_DONE;
    if (slash && (size_t)(slash - text) < sizeof number) {
        snprintf(number, sizeof number, "%.*s", (int)(slash - text), text);
        if (foray_integer_read(number, &out->number) && foray_integer_read(slash + 1, &out->of) &&
            out->number >= 1 && out->number <= out->of)
            return CLI_DONE;
    }
    return cli_fail(session, CLI_USAGE,
                    "shard=%s, but it must be I/N with I from 1 to N, such as 2/3", text);
}

cli_exit cli_shard_show(cli_session *session, foray_shard shard, const char *directory,
                        const cli_work *work)
{
    cli_output output;
    if (!session->json) {
        printf("shard %" PRId64 " of %" PRId64 ": all of its %" PRId64
               " %s are done. When every shard has ended,\nthe same command without --shard writes "
               "the results.\n",
               shard.number, shard.of, work->last.finished, work->parts);
        return CLI_DONE;
    }
    cli_output_begin(&output, session);
    cli_output_text(&output, "directory", directory);
    cli_output_integer(&output, "shard", shard.number);
    cli_output_integer(&output, "shards", shard.of);
    cli_output_integer(&output, work->parts, work->last.finished);
    cli_output_real(&output, "seconds", work->last.seconds);
    return cli_output_end(&output, session, CLI_DONE);
}
