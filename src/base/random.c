/* random.c - counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror,
 * Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"). */
#include "base/base.h"

void fy_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t product0 = (uint64_t)0xD2511F53 * c0;
        uint64_t product1 = (uint64_t)0xCD9E8D57 * c2;
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)product0;
        k0 += 0x9E3779B9; /* the golden ratio and sqrt(3) - 1: Weyl sequences */
        k1 += 0xBB67AE85;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* Counter: the episode, the step, and stream and index; key: the seed. The
 * stream takes the upper 4 bits of the last word, so indices go to 2^28. */
uint64_t fy_random_bits(uint64_t seed, uint32_t stream, uint64_t episode, uint32_t step,
                        uint32_t index)
{
    const uint32_t counter[4] = {(uint32_t)episode, (uint32_t)(episode >> 32), step,
                                 index | stream << 28};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[4];
    fy_philox(counter, key, words);
    return (uint64_t)words[1] << 32 | words[0];
}
