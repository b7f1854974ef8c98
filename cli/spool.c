/* spool.c - see spool.h. */
#include "spool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A byte that is 0 is in no text: what has one, and perhaps no end, is copied as far as it shows.
 */
static cli_exit copy(cli_session *session, FILE *from, const char *shown, FILE *to)
{
    static char block[1 << 16];
    size_t size;
    while ((size = fread(block, 1, sizeof block, from)) > 0)
        if (fwrite(block, 1, size, to) != size || memchr(block, 0, size))
            break;
    if (ferror(from))
        return cli_fail(session, CLI_BAD_INPUT, "%s: cannot be read: %s", shown, strerror(errno));
    return fflush(to) == 0 && !ferror(to)
               ? CLI_DONE
               : cli_fail(session, CLI_BAD_INPUT, "%s: cannot be copied to a temporary file: %s",
                          shown, strerror(errno));
}

static bool has_no_end(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode));
}

cli_exit cli_spool_open(cli_session *session, const char *path, cli_spool *out)
{
    bool standard = strcmp(path, "-") == 0;
    *out = (cli_spool){.shown = standard ? "standard input" : path};
    if (!standard && !has_no_end(path))
        return CLI_DONE; /* a file, or nothing: whoever opens it says what is wrong */
    FILE *from = standard ? stdin : fopen(path, "r");
    if (!from)
        return cli_fail(session, CLI_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    FILE *file = out->file = tmpfile();
    cli_exit code = file ? copy(session, from, out->shown, file)
                         : cli_fail(session, CLI_BAD_INPUT,
                                    "%s: no temporary file can be made to copy it to: %s",
                                    out->shown, strerror(errno));
    if (!standard)
        fclose(from);
    if (file)
        snprintf(out->path, sizeof out->path, "/dev/fd/%d", fileno(file));
    return code;
}

void cli_spool_close(cli_spool *spool)
{
    if (spool->file)
        fclose(spool->file);
    *spool = (cli_spool){0};
}

const char *cli_spool_path(const cli_spool *spool)
{
    return spool->path[0] ? spool->path : spool->shown;
}

cli_exit cli_spool_status(const cli_session *session, const cli_spool *spool, foray_status status)
{
    const char *message = foray_message(session->ctx);
    size_t size = strlen(spool->path);
    cli_exit code = cli_status_code(status);
    if (status >= 0)
        return code;
    if (size > 0 && strncmp(message, spool->path, size) == 0)
        return cli_fail(session, code, "%s%s", spool->shown, message + size);
    return cli_status(session, status);
}
