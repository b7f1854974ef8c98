/* test_hostile.c - programs that hang, exit, lie, flood or hold the pipe as worlds: each ends in
 * FORAY_ERROR_WORLD with a message that names the cause, and leaves no process, no zombie and no
 * open descriptor behind. A watchdog ends the program if one of them hangs the caller. */
#include "support.h"
#include "system/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WATCHDOG_SECONDS = 300 };

static int open_descriptors(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

/* No child is left, alive or dead. */
static void assert_no_children(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void assert_says(const foray_context *ctx, const char *mode, const char *cause)
{
    if (!strstr(foray_message(ctx), cause))
        fail_msg("%s: \"%s\" does not say \"%s\"", mode, foray_message(ctx), cause);
}

/* Only those that stay silent have a short time limit: the others, on a busy machine, must not
 * seem to. */
static void hostile_text(const char *mode, int after, char text[512])
{
    static const char *const silent[] = {"hang-hello", "hang", "cut-hang", "dribble", "close-in"};
    const char *limit = "100";
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (strcmp(mode, silent[i]) == 0)
            limit = "0.4";
    snprintf(text, 512, "exec:[timeout=%s,start=%s,grace=0.2]exec ./hostile_world %s %d", limit,
             strcmp(mode, "hang-hello") == 0 ? limit : "100", mode, after);
}

/* ---------------------------------------------------------- never gets going */

static void test_no_start(void **unused)
{
    (void)unused;
    static const struct {
        const char *mode, *cause;
    } rows[] = {
        {"hang-hello", "did not answer within 0.4 s"},
        {"exit-at-once", "the program ended (exit status 3)"},
        {"exit-hello", "the program ended (exit status 3)"},
        {"prose", "does not speak the world protocol"},
        {"wrong-version",
         "speaks version 2 of the world protocol, but this Foray speaks version 1"},
        {"wrong-magic", "HELLO does not say FORAYWLD"},
        {"huge-hello", "a body of 4294967295 bytes"},
        {"cut-spec", "the program ended (exit status 0)"},
        {"long-spec", "56 bytes too many"},
        {"many-dimensions", "dimensions must be 1 to 64"},
        {"many-actions", "actions must be"},
        {"many-rewards", "more names or weights than it holds"},
        {"control-name", "control characters"},
        {"no-horizon", "horizon is 0"},
        {"odd-weights", "sum to 1.8"},
        {"odd-flags", "flags that the protocol does not know"},
        {"sequential-simulators", "can have no simulators"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        foray_context *ctx = foray_context_create();
        foray_system *system = NULL;
        char text[512];
        int before = open_descriptors();
        hostile_text(rows[i].mode, 1, text);
        assert_int_equal(foray_system_open(ctx, text, &system), FORAY_ERROR_WORLD);
        assert_null(system);
        assert_says(ctx, rows[i].mode, rows[i].cause);
        assert_says(ctx, rows[i].mode, "exec:exec ./hostile_world");
        assert_int_equal(open_descriptors(), before);
        assert_no_children();
        foray_context_destroy(ctx);
    }
}

static void test_no_command(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *cause;
        foray_status status;
    } rows[] = {
        {"exec:/nowhere/at/all", "exit status 127", FORAY_ERROR_WORLD},
        {"exec:true", "the program ended (exit status 0)", FORAY_ERROR_WORLD},
        {"exec:kill -9 $$", "signal 9", FORAY_ERROR_WORLD},
        {"exec:", "no program is given", FORAY_ERROR_USAGE},
        {"exec:[timeout=1]", "no program is given", FORAY_ERROR_USAGE},
        {"exec:[timeout=1", "write exec:[timeout=S,start=S,grace=S]COMMAND", FORAY_ERROR_USAGE},
        {"exec:[timeout=0]true", "timeout=0, but it must be a number from 0.001 to 1000000",
         FORAY_ERROR_USAGE},
        {"exec:[timeout=nan]true", "timeout=nan, but it must be a number", FORAY_ERROR_USAGE},
        {"exec:[patience=1]true", "there are timeout, start, grace", FORAY_ERROR_USAGE},
        {"exec:[]true", "exec: \"\" should read key=value", FORAY_ERROR_USAGE},
    };
    foray_context *ctx = foray_context_create();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        foray_system *system = NULL;
        assert_int_equal(foray_system_open(ctx, rows[i].text, &system), rows[i].status);
        assert_says(ctx, rows[i].text, rows[i].cause);
    }
    assert_no_children();
    foray_context_destroy(ctx);
}

/* -------------------------------------------------------- fails on the way */

enum { BATCH = 3000 };

/* Asks one question, then batches, until it fails. */
static foray_status ask_until_failure(foray_system *system)
{
    static foray_system_query query[BATCH];
    static double state[BATCH], next[BATCH];
    foray_status status = FORAY_OK;
    for (int i = 0; i < BATCH; i++) {
        query[i] = (foray_system_query){
            .draw = {.seed = 1, .episode = (uint64_t)i}, .simulator = i % 3 - 1, .action = i % 2};
        state[i] = i % 5;
    }
    for (int round = 0; round < 5 && status == FORAY_OK; round++)
        status = foray_system_step(system, round == 0 ? 1 : BATCH, query, state, next);
    return status;
}

static void fail_on_the_way(const char *mode, int after, const char *cause)
{
    foray_context *ctx = foray_context_create();
    foray_system *system = NULL;
    char text[512];
    int before = open_descriptors();
    hostile_text(mode, after, text);
    support_ok(ctx, foray_system_open(ctx, text, &system));
    assert_int_equal(ask_until_failure(system), FORAY_ERROR_WORLD);
    assert_says(ctx, mode, cause);
    assert_says(ctx, mode, "ring");
    foray_system_destroy(system);
    assert_int_equal(open_descriptors(), before);
    assert_no_children();
    foray_context_destroy(ctx);
}

static const struct {
    const char *mode, *cause;
} failures[] = {
    {"hang", "did not answer within 0.4 s"},
    {"exit", "the program ended (exit status 7)"},
    {"killed", "the program ended (signal 9: Killed)"},
    {"cut", "the program ended (exit status 0)"},
    {"cut-hang", "did not answer within 0.4 s"},
    {"dribble", "did not answer within 0.4 s"},
    {"noise", "of type 2779096485"},
    {"other-type", "answered a STEP frame with one of type 3 (RESET)"},
    {"long", "bytes, not the"},
    {"twice", "sequence number"},
    {"flood", "sequence number"},
    {"error", "the program says: the ring is  [31mbroken"},
    {"close-out", "closed descriptor 4"},
    {"close-in", "did not answer within 0.4 s"},
    {"range", "is 99, which is none of its states, 0 to"},
    {"nan", "is nan"},
    {"fraction", "is 1.5"},
    {"no-done", "bytes, not the"},
    {"odd-done", "says done with 7"},
};

/* At the first question, and in the middle of a batch with several frames on their way. */
static void test_failures(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        fail_on_the_way(failures[i].mode, 1, failures[i].cause);
        fail_on_the_way(failures[i].mode, 9, failures[i].cause);
    }
}

/* ---------------------------------------------------------- nothing stays */

/* The lock that a grandchild holds as long as it lives. */
static bool lock_is_free(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    bool free = flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return free;
}

/* The parent is gone, a grandchild that ignores SIGTERM holds the pipe: noticed at once, long
 * before any time limit, and the grandchild is killed. */
static void test_grandchild(void **unused)
{
    (void)unused;
    foray_context *ctx = foray_context_create();
    foray_system *system = NULL;
    char *directory = support_directory(), lock[256], text[512];
    snprintf(lock, sizeof lock, "%s/lock", directory);
    snprintf(text, sizeof text, "exec:[timeout=1000]exec ./hostile_world grandchild 2 %s", lock);
    int before = open_descriptors();
    support_ok(ctx, foray_system_open(ctx, text, &system));
    assert_true(lock_is_free(lock));
    assert_int_equal(ask_until_failure(system), FORAY_ERROR_WORLD);
    assert_says(ctx, "grandchild", "the program ended (exit status 0) without answering");
    assert_false(lock_is_free(lock));
    foray_system_destroy(system);
    for (int i = 0; i < 1000 && !lock_is_free(lock); i++)
        usleep(10000);
    assert_true(lock_is_free(lock));
    assert_int_equal(open_descriptors(), before);
    assert_no_children();
    support_remove(directory);
    foray_context_destroy(ctx);
}

/* Deaf to goodbye, to the end of the pipe and to SIGTERM; and behind a shell that waits. */
static void test_stubborn(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "exec:[grace=0.1]exec ./hostile_world stubborn",
        "exec:[grace=0.1]./hostile_world stubborn; true",
        "exec:[grace=0.1]trap '' TERM; ./hostile_world stubborn; sleep 1000",
    };
    foray_context *ctx = foray_context_create();
    int before = open_descriptors();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        foray_system *system = NULL;
        support_ok(ctx, foray_system_open(ctx, texts[i], &system));
        foray_system_destroy(system);
        assert_int_equal(open_descriptors(), before);
        assert_no_children();
    }
    foray_context_destroy(ctx);
}

/* What the caller does with signals stays as it was, and what he holds open stays his: a
 * program that lists its descriptors finds 0 to 4 (and the one it lists them with). */
static void test_caller_untouched(void **unused)
{
    (void)unused;
    foray_context *ctx = foray_context_create();
    foray_system *system = NULL;
    struct sigaction pipe_before, pipe_after, child_before, child_after;
    sigset_t mask_before, mask_after;
    sigaction(SIGPIPE, NULL, &pipe_before);
    sigaction(SIGCHLD, NULL, &child_before);
    sigprocmask(SIG_SETMASK, NULL, &mask_before);
    int held = open("/dev/null", O_RDONLY); /* not close-on-exec */
    assert_int_equal(
        foray_system_open(ctx, "exec:exit $(ls /proc/self/fd | grep -cv '^[0-4]$')", &system),
        FORAY_ERROR_WORLD);
    assert_says(ctx, "descriptors", "exit status 1");
    close(held);
    char text[512];
    hostile_text("close-in", 1, text);
    support_ok(ctx, foray_system_open(ctx, text, &system));
    assert_int_equal(ask_until_failure(system), FORAY_ERROR_WORLD);
    foray_system_destroy(system);
    sigaction(SIGPIPE, NULL, &pipe_after);
    sigaction(SIGCHLD, NULL, &child_after);
    sigprocmask(SIG_SETMASK, NULL, &mask_after);
    assert_true(pipe_before.sa_handler == pipe_after.sa_handler);
    assert_true(child_before.sa_handler == child_after.sa_handler);
    assert_int_equal(sigismember(&mask_before, SIGPIPE), sigismember(&mask_after, SIGPIPE));
    foray_context_destroy(ctx);
}

/* Callers who reap their children themselves, or not at all. */
static void test_child_reaped_by_others(void **unused)
{
    (void)unused;
    foray_context *ctx = foray_context_create();
    foray_system *system = NULL;
    struct sigaction before, ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGCHLD, &ignore, &before);
    support_ok(ctx, foray_system_open(ctx, "exec:exec ./hostile_world exit 3", &system));
    assert_int_equal(ask_until_failure(system), FORAY_ERROR_WORLD);
    assert_says(ctx, "exit", "the program ended (exit status unknown)");
    foray_system_destroy(system);
    assert_no_children();
    sigaction(SIGCHLD, &before, NULL);
    foray_context_destroy(ctx);
}

/* What a program prints goes to standard error, and does not disturb the conversation. */
static void test_chatty(void **unused)
{
    (void)unused;
    foray_context *ctx = foray_context_create();
    foray_system *system = NULL;
    support_ok(ctx,
               foray_system_open(ctx, "exec:exec ./hostile_world chatty 2>/dev/null >&2", &system));
    assert_int_equal(ask_until_failure(system), FORAY_OK);
    foray_system_destroy(system);
    foray_context_destroy(ctx);
}

/* Which of several answers lead to the last state of the ring, which is absorbing. */
static void test_ends(void **unused)
{
    (void)unused;
    foray_context *ctx = foray_context_create();
    foray_system *system = NULL;
    support_ok(ctx, foray_system_open(ctx, "exec:exec ./hostile_world ends", &system));
    assert_int_equal(ask_until_failure(system), FORAY_OK);
    foray_system_query query[5];
    const double state[5] = {0, 1, 2, 3, 0};
    double next[5];
    for (int i = 0; i < 5; i++)
        query[i] = (foray_system_query){.draw = {.seed = 1}, .simulator = 0, .action = i != 4};
    support_ok(ctx, foray_system_step(system, 5, query, state, next));
    for (int i = 0; i < 5; i++)
        assert_int_equal(fy_system_ended(system, i), next[i] == 4);
    assert_true(next[3] == 4 && next[4] == 4);
    foray_system_destroy(system);
    foray_context_destroy(ctx);
}

/* Many worlds at once, closed in another order than opened. */
static void test_many_at_once(void **unused)
{
    (void)unused;
    enum { WORLDS = 8 };
    foray_context *ctx = foray_context_create();
    foray_system *system[WORLDS] = {NULL};
    int before = open_descriptors();
    for (int i = 0; i < WORLDS; i++)
        support_ok(ctx, foray_system_open(ctx, "exec:exec ./hostile_world good", &system[i]));
    for (int i = 0; i < WORLDS; i++)
        assert_int_equal(ask_until_failure(system[i]), FORAY_OK);
    for (int i = 0; i < WORLDS; i++)
        foray_system_destroy(system[(3 * i) % WORLDS]);
    assert_int_equal(open_descriptors(), before);
    assert_no_children();
    foray_context_destroy(ctx);
}

/* Descriptors run out at any moment: an error, and none is lost. */
static void test_no_descriptors(void **unused)
{
    (void)unused;
    foray_context *ctx = foray_context_create();
    struct rlimit before, few;
    int refused = 0, accepted = 0, held = open_descriptors();
    getrlimit(RLIMIT_NOFILE, &before);
    for (rlim_t max = 3; max < 40 && accepted < 2; max++) {
        foray_system *system = NULL;
        few = (struct rlimit){max, before.rlim_max};
        setrlimit(RLIMIT_NOFILE, &few);
        foray_status status = foray_system_open(ctx, "exec:exec ./hostile_world good", &system);
        foray_system_destroy(system);
        setrlimit(RLIMIT_NOFILE, &before);
        if (status != FORAY_OK)
            assert_int_equal(status, FORAY_ERROR_WORLD);
        refused += status != FORAY_OK;
        accepted += status == FORAY_OK;
        assert_int_equal(open_descriptors(), held);
        assert_no_children();
    }
    assert_true(refused > 0 && accepted > 0);
    foray_context_destroy(ctx);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_start),
        cmocka_unit_test(test_no_command),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_grandchild),
        cmocka_unit_test(test_stubborn),
        cmocka_unit_test(test_caller_untouched),
        cmocka_unit_test(test_child_reaped_by_others),
        cmocka_unit_test(test_chatty),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_no_descriptors),
    };
    alarm(WATCHDOG_SECONDS);
    (void)count;
    support_go_home(arguments[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
