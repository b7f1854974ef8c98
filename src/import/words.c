/* words.c - see words.h. */
#include "import/words.h"

#include <stdlib.h>
#include <string.h>

void fy_words_free(fy_words *words)
{
    free(words->text.data);
    free(words->at);
    free(words->slot);
    *words = (fy_words){0};
}

/* The slot of a word, or the free one where it would go. */
static uint64_t find_slot(const fy_words *words, const char *word)
{
    uint64_t at = fy_hash(word, strlen(word), 1) & words->mask;
    while (words->slot[at] != 0 && strcmp(fy_words_at(words, words->slot[at] - 1), word) != 0)
        at = (at + 1) & words->mask;
    return at;
}

/* Twice as many slots; at most half of them are ever taken. */
static bool grow_slots(fy_words *words)
{
    uint64_t mask = words->slot ? 2 * words->mask + 1 : 255;
    int32_t *slot;
    if (!FY_ALLOC(words->text.ctx, slot, mask + 1))
        return false;
    free(words->slot);
    words->slot = slot;
    words->mask = mask;
    for (int64_t i = 0; i < words->count; i++)
        slot[find_slot(words, fy_words_at(words, i))] = (int32_t)i + 1;
    return true;
}

foray_status fy_words_number(fy_words *words, const char *word, int32_t *out)
{
    foray_context *ctx = words->text.ctx;
    if (2 * (uint64_t)words->count >= words->mask && !grow_slots(words))
        return FORAY_ERROR_MEMORY;
    uint64_t slot = find_slot(words, word);
    if (words->slot[slot] == 0) {
        int64_t *at = fy_grow(ctx, words->at, &words->room, words->count + 1, sizeof *at);
        if (!at)
            return FORAY_ERROR_MEMORY;
        words->at = at;
        at[words->count] = (int64_t)words->text.size;
        fy_write_bytes(&words->text, word, strlen(word) + 1);
        if (words->text.failed)
            return FORAY_ERROR_MEMORY;
        words->slot[slot] = (int32_t)++words->count;
    }
    *out = words->slot[slot] - 1;
    return FORAY_OK;
}

bool fy_words_are_numbers(const fy_words *words, int64_t *max)
{
    *max = -1;
    for (int64_t i = 0; i < words->count; i++) {
        const char *word = fy_words_at(words, i);
        size_t digits = strspn(word, "0123456789");
        /* At most nine digits, and no zeros in front: 07 is a name. */
        if (digits == 0 || digits > 9 || word[digits] || (digits > 1 && word[0] == '0'))
            return false;
        int64_t number = 0;
        for (size_t d = 0; d < digits; d++)
            number = 10 * number + (word[d] - '0');
        *max = number > *max ? number : *max;
    }
    return true;
}
