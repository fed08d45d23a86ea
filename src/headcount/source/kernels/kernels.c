/* Counting, adding and sorting of whole numbers, and numbering of texts: nothing here rounds, draws or decides.

C99 without dependencies, called through ctypes. Invariants:

- No global state and no allocation: every array is the caller's, with its length, and nothing is read or written
  outside of it. The caller gives tables of a power of two slots that stay at most three quarters full.
- Two values have the same number if and only if they are equal, byte by byte. A hash only says where to look first: its
  key is random and never kept, so nobody knows which values would be slow to number.
- A call lasts a batch or a partition, so that an interrupt waits for milliseconds.
*/
#include <stdint.h>
#include <string.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#define BLOCK 64

EXPORT int64_t headcount_version(void) { return 6; }

/* Hashes: the polynomial whose coefficients are the value's words, at a random point, modulo 2^61 - 1 (Carter and Wegman
   1979), then mixed one to one. Whatever two different values of at most n words there are, their hashes of 64 bits are
   equal with probability at most n / 2^60; a slot is some of these bits. Mixing keeps values in a row, as ids are, from
   lying in a row of slots. */
#define PRIME (((uint64_t)1 << 61) - 1)
#define WORD 7 /* bytes */

static uint64_t word(const uint8_t *text, int64_t length)
{
    uint64_t found = 0;
    for (int64_t i = 0; i < length; i++) found |= (uint64_t)text[i] << (8 * i);
    return found;
}

/* The same of eight bytes. */
static uint64_t eight(const uint8_t *text)
{
    uint64_t found;
    memcpy(&found, text, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    found = __builtin_bswap64(found);
#endif
    return found;
}

static int same(const uint8_t *one, const uint8_t *other, int64_t length)
{
    if (length < 8) return word(one, length) == word(other, length);
    for (int64_t i = 0; i < length - 8; i += 8)
        if (eight(one + i) != eight(other + i)) return 0;
    return eight(one + length - 8) == eight(other + length - 8);
}

#ifdef BAD_HASH
static uint64_t hash_text(const uint8_t *text, int64_t length, const uint64_t *key)
{
    (void)text; (void)key;
    return (uint64_t)length & 3;
}

static uint64_t hash_integer(uint64_t value, const uint64_t *key)
{
    (void)key;
    return value & 3;
}
#else
/* sum * point modulo the prime, below 2^61 + 2; of a sum below 2^62 and a point of at most 61 bits. */
static uint64_t modular_product(uint64_t sum, uint64_t point)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)sum * point;
    uint64_t low = (uint64_t)product, high = (uint64_t)(product >> 64);
#else
    uint64_t a = sum >> 32, b = sum & 0xffffffff, c = point >> 32, d = point & 0xffffffff;
    uint64_t last = b * d, middle = a * d + (last >> 32), other = b * c + (middle & 0xffffffff);
    uint64_t low = other << 32 | (last & 0xffffffff), high = a * c + (middle >> 32) + (other >> 32);
#endif
    uint64_t folded = (low & PRIME) + (high << 3 | low >> 61);
    return (folded & PRIME) + (folded >> 61);
}

static uint64_t mixed(uint64_t hash)
{
    hash = (hash ^ hash >> 32) * 0x9E3779B97F4A7C15ULL;
    return hash ^ hash >> 32;
}

/* The first word gets one, and the last one the length modulo 8: so texts of different lengths differ as well. */
static uint64_t hash_text(const uint8_t *text, int64_t length, const uint64_t *key)
{
    uint64_t point = key[0] & PRIME, hash = 1;
    int64_t left = length;
    for (; left > WORD; left -= WORD, text += WORD) hash = modular_product(hash + (eight(text) << 8 >> 8), point);
    uint64_t rest = length > WORD ? eight(text + left - 8) >> 8 * (8 - left) : word(text, left);
    return mixed(modular_product(hash + (rest | (uint64_t)(length & 7) << 56), point));
}

static uint64_t hash_integer(uint64_t value, const uint64_t *key)
{
    uint64_t point = key[0] & PRIME;
    return mixed(modular_product(modular_product(value >> 32, point) + (value & 0xffffffff), point));
}
#endif

/* Number n texts, text i being data[starts[i] .. starts[i + 1]). Texts that are new get the next numbers and are added
   to the arena, where text k is arena[ends[k] .. ends[k + 1]). Returns how many numbers there are. Slots hold a number
   and one, hashes the last 32 bits of the text's hash.
   Room: hashes and slots 0 .. mask, more of them than count + n, and at most 2^32; ends for count + n + 1; an arena for
   all n texts more. */
EXPORT int64_t number_texts(const int32_t *starts, const uint8_t *data, int64_t n, const uint64_t *key,
                            uint32_t *hashes, uint32_t *slots, int64_t mask, uint8_t *arena, int64_t *ends,
                            int64_t count, uint32_t *numbers)
{
    uint32_t hash[BLOCK];
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t many = n - first < BLOCK ? n - first : BLOCK;
        for (int64_t j = 0; j < many; j++) {
            int64_t i = first + j;
            hash[j] = (uint32_t)hash_text(data + starts[i], starts[i + 1] - starts[i], key);
#ifdef __GNUC__
            __builtin_prefetch(slots + (hash[j] & (uint64_t)mask));
            __builtin_prefetch(hashes + (hash[j] & (uint64_t)mask));
#endif
        }
#ifdef __GNUC__
        for (int64_t j = 0; j < many; j++) {
            uint32_t known = slots[hash[j] & (uint64_t)mask];
            if (known) __builtin_prefetch(ends + known - 1);
        }
        for (int64_t j = 0; j < many; j++) {
            uint32_t known = slots[hash[j] & (uint64_t)mask];
            if (known) __builtin_prefetch(arena + ends[known - 1]);
        }
#endif
        for (int64_t j = 0; j < many; j++) {
            int64_t i = first + j, length = starts[i + 1] - starts[i];
            const uint8_t *text = data + starts[i];
            for (uint64_t slot = hash[j] & (uint64_t)mask;; slot = (slot + 1) & (uint64_t)mask) {
                uint32_t known = slots[slot];
                if (!known) {
                    hashes[slot] = hash[j];
                    slots[slot] = (uint32_t)(count + 1);
                    if (length) memcpy(arena + ends[count], text, (size_t)length);
                    ends[count + 1] = ends[count] + length;
                    numbers[i] = (uint32_t)count++;
                    break;
                }
                if (hashes[slot] == hash[j] && ends[known] - ends[known - 1] == length &&
                    same(text, arena + ends[known - 1], length)) {
                    numbers[i] = known - 1;
                    break;
                }
            }
        }
    }
    return count;
}

/* Number n integers; new ones are added to values. Slots hold a number and one, places the value itself.
   Room: slots and places 0 .. mask, more of them than count + n; values for count + n. */
EXPORT int64_t number_integers(const int64_t *given, int64_t n, const uint64_t *key, int64_t *places, uint32_t *slots,
                               int64_t mask, int64_t *values, int64_t count, uint32_t *numbers)
{
    uint64_t hash[BLOCK];
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t many = n - first < BLOCK ? n - first : BLOCK;
        for (int64_t j = 0; j < many; j++) {
            hash[j] = hash_integer((uint64_t)given[first + j], key);
#ifdef __GNUC__
            __builtin_prefetch(slots + (hash[j] & (uint64_t)mask));
            __builtin_prefetch(places + (hash[j] & (uint64_t)mask));
#endif
        }
        for (int64_t j = 0; j < many; j++) {
            int64_t value = given[first + j];
            for (uint64_t slot = hash[j] & (uint64_t)mask;; slot = (slot + 1) & (uint64_t)mask) {
                if (!slots[slot]) {
                    places[slot] = values[count] = value;
                    slots[slot] = (uint32_t)(count + 1);
                    numbers[first + j] = (uint32_t)count++;
                    break;
                }
                if (places[slot] == value) {
                    numbers[first + j] = slots[slot] - 1;
                    break;
                }
            }
        }
    }
    return count;
}

/* Fill a larger, empty table with the slots of another, of texts. */
EXPORT void move_texts(const uint32_t *old_hashes, const uint32_t *old_slots, int64_t old_size, uint32_t *hashes,
                       uint32_t *slots, int64_t mask)
{
    for (int64_t i = 0; i < old_size; i++) {
        if (!old_slots[i]) continue;
        uint64_t slot = old_hashes[i] & (uint64_t)mask;
        while (slots[slot]) slot = (slot + 1) & (uint64_t)mask;
        hashes[slot] = old_hashes[i];
        slots[slot] = old_slots[i];
    }
}

/* The same of integers. */
EXPORT void move_integers(const int64_t *old_places, const uint32_t *old_slots, int64_t old_size, const uint64_t *key,
                          int64_t *places, uint32_t *slots, int64_t mask)
{
    for (int64_t i = 0; i < old_size; i++) {
        if (!old_slots[i]) continue;
        uint64_t slot = hash_integer((uint64_t)old_places[i], key) & (uint64_t)mask;
        while (slots[slot]) slot = (slot + 1) & (uint64_t)mask;
        places[slot] = old_places[i];
        slots[slot] = old_slots[i];
    }
}

/* Sort n keys, whose last `low` bits rise, by the `bits` bits above these, ascending, by digits of up to 11 bits; `spare`
   is as long. */
static void sort_keys(uint64_t *keys, uint64_t *spare, int64_t n, int low, int bits)
{
    if (n < 64) {
        for (int64_t i = 1; i < n; i++) {
            uint64_t key = keys[i];
            int64_t j = i;
            for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
            keys[j] = key;
        }
        return;
    }
    uint64_t *from = keys, *to = spare;
    int passes = (bits + 10) / 11, digit = passes ? (bits + passes - 1) / passes : 0;
    for (int pass = 0; pass < passes; pass++) {
        int64_t starts[(1 << 11) + 1];
        uint64_t last = ((uint64_t)1 << digit) - 1;
        memset(starts, 0, sizeof starts);
        for (int64_t i = 0; i < n; i++) starts[((from[i] >> (low + pass * digit)) & last) + 1]++;
        for (uint64_t k = 0; k < last; k++) starts[k + 1] += starts[k];
        for (int64_t i = 0; i < n; i++) to[starts[(from[i] >> (low + pass * digit)) & last]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != keys) memcpy(keys, from, (size_t)n * sizeof *keys);
}

/* Put pairs of a batch in the order of their person's last `bits` bits: partition p is keys[starts[p] .. starts[p + 1]).
   A key is the rest of the person's number and, in the last 32 bits, the item's. order, which may be NULL: where each
   key's pair was. starts: 2^bits + 1. */
EXPORT void partition(const uint32_t *people, const uint32_t *items, int64_t n, int64_t bits, int64_t *starts,
                      uint64_t *keys, uint32_t *order)
{
    int64_t parts = (int64_t)1 << bits;
    uint32_t last = (uint32_t)(parts - 1);
    memset(starts, 0, (size_t)(parts + 1) * sizeof *starts);
    for (int64_t i = 0; i < n; i++) starts[people[i] & last]++;
    for (int64_t p = 1; p < parts; p++) starts[p] += starts[p - 1];
    starts[parts] = n;
    for (int64_t i = n; i-- > 0;) {
        int64_t at = --starts[people[i] & last];
        keys[at] = (uint64_t)(people[i] >> bits) << 32 | items[i];
        if (order) order[at] = (uint32_t)i;
    }
}

/* Finish a partition: items become ranks, pairs are sorted and counted, each up to `most`. Of each person: what is left
   of their number, and their pairs. times may be NULL, and order, which says where each row was: with it, a key and
   `low` bits are at most 64 bits, and n at most 2^low. All outputs have room for n. Returns the pairs. */
EXPORT int64_t finish(uint64_t *keys, uint64_t *spare, int64_t n, const uint32_t *ranks, int64_t item_bits,
                      int64_t key_bits, int64_t low, int64_t most, uint32_t *items, uint32_t *times, uint32_t *people,
                      int64_t *sizes, int64_t *many, uint32_t *order)
{
    uint64_t last = ((uint64_t)1 << item_bits) - 1, before = 0;
    int64_t pairs = 0, persons = 0;
    for (int64_t i = 0; i < n; i++) keys[i] = keys[i] >> 32 << item_bits | ranks[(uint32_t)keys[i]];
    if (order)
        for (int64_t i = 0; i < n; i++) keys[i] = keys[i] << low | (uint64_t)i;
    sort_keys(keys, spare, n, order ? (int)low : 0, (int)key_bits);
    if (order)
        for (int64_t i = 0; i < n; i++) {
            order[i] = (uint32_t)(keys[i] & (((uint64_t)1 << low) - 1));
            keys[i] >>= low;
        }
    for (int64_t i = 0; i < n; i++) {
        if (!i || keys[i] >> item_bits != before >> item_bits) {
            people[persons] = (uint32_t)(keys[i] >> item_bits);
            sizes[persons++] = 0;
        }
        if (!i || keys[i] != before) {
            sizes[persons - 1]++;
            if (times) times[pairs] = 1;
            items[pairs++] = (uint32_t)(keys[i] & last);
        } else if (times && times[pairs - 1] < most) {
            times[pairs - 1]++;
        }
        before = keys[i];
    }
    *many = persons;
    return pairs;
}

/* Of each person: how many of their items are flagged, and how many of the others are not unused (NULL: all). */
EXPORT void count_flagged(const int64_t *offsets, const uint32_t *items, const uint8_t *flags, const uint8_t *unused,
                          int64_t people, int64_t *flagged, int64_t *others)
{
    for (int64_t u = 0; u < people; u++) {
        int64_t there = 0, left_out = 0;
        for (int64_t i = offsets[u]; i < offsets[u + 1]; i++) {
            there += flags[items[i]];
            if (unused) left_out += unused[i] & !flags[items[i]];
        }
        flagged[u] = there;
        others[u] = offsets[u + 1] - offsets[u] - there - left_out;
    }
}

/* Add each person's value for flagged items, and their value for others that are not unused, to the items' totals. */
EXPORT void add_to_items(const int64_t *offsets, const uint32_t *items, const uint8_t *flags, const uint8_t *unused,
                         const int64_t *of_flagged, const int64_t *of_others, int64_t people, int64_t *totals)
{
    for (int64_t u = 0; u < people; u++) {
        int64_t values[2];
        values[0] = of_others[u];
        values[1] = of_flagged[u];
        for (int64_t i = offsets[u]; i < offsets[u + 1]; i++)
            if (!unused || !unused[i] || flags[items[i]]) totals[items[i]] += values[flags[items[i]]];
    }
}

/* Texts in the order of their bytes. */
typedef struct { uint64_t key; uint64_t text; } entry;
typedef struct { const int64_t *ends; const uint8_t *arena; } texts;

static int comes_first(texts of, uint64_t one, uint64_t other, int64_t depth)
{
    int64_t a = of.ends[one + 1] - of.ends[one], b = of.ends[other + 1] - of.ends[other], least = a < b ? a : b;
    int found = least > depth ? memcmp(of.arena + of.ends[one] + depth, of.arena + of.ends[other] + depth,
                                       (size_t)(least - depth)) : 0;
    return found ? found < 0 : a < b;
}

static void merge_texts(texts of, entry *found, entry *spare, int64_t n, int64_t depth)
{
    if (n < 8) {
        for (int64_t i = 1; i < n; i++) {
            entry each = found[i];
            int64_t j = i;
            for (; j > 0 && comes_first(of, each.text, found[j - 1].text, depth); j--) found[j] = found[j - 1];
            found[j] = each;
        }
        return;
    }
    int64_t half = n / 2, i = 0, j = half, k = 0;
    merge_texts(of, found, spare, half, depth);
    merge_texts(of, found + half, spare + half, n - half, depth);
    while (i < half && j < n) spare[k++] = comes_first(of, found[j].text, found[i].text, depth) ? found[j++] : found[i++];
    while (i < half) spare[k++] = found[i++];
    while (j < n) spare[k++] = found[j++];
    memcpy(found, spare, (size_t)n * sizeof *found);
}

/* Sort by eight bytes from `depth` on, then what is equal by the next ones; from the fourth time on by comparing. */
static void sort_texts(texts of, entry *found, entry *spare, int64_t n, int64_t depth, int level)
{
    if (n < 64 || level == 4) {
        merge_texts(of, found, spare, n, depth);
        return;
    }
    uint64_t any = 0, all = ~(uint64_t)0;
    for (int64_t i = 0; i < n; i++) {
        int64_t left = of.ends[found[i].text + 1] - of.ends[found[i].text] - depth;
        const uint8_t *text = of.arena + of.ends[found[i].text];
        uint64_t key = 0;
        for (int64_t b = 0; b < 8 && b < left; b++) key |= (uint64_t)text[depth + b] << (56 - 8 * b);
        found[i].key = key;
        any |= key;
        all &= key;
    }
    entry *from = found, *to = spare;
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(((any ^ all) >> shift) & 255)) continue;
        int64_t starts[257];
        memset(starts, 0, sizeof starts);
        for (int64_t i = 0; i < n; i++) starts[((from[i].key >> shift) & 255) + 1]++;
        for (int k = 0; k < 256; k++) starts[k + 1] += starts[k];
        for (int64_t i = 0; i < n; i++) to[starts[(from[i].key >> shift) & 255]++] = from[i];
        entry *other = from;
        from = to;
        to = other;
    }
    if (from != found) memcpy(found, from, (size_t)n * sizeof *found);
    for (int64_t first = 0, next; first < n; first = next) {
        for (next = first + 1; next < n && found[next].key == found[first].key;) next++;
        /* texts that end within these bytes may differ in their length alone: compared from here on, not skipped */
        if (next - first > 1) {
            int ended = 0;
            for (int64_t i = first; i < next && !ended; i++)
                ended = of.ends[found[i].text + 1] - of.ends[found[i].text] < depth + 8;
            if (ended) merge_texts(of, found + first, spare + first, next - first, depth);
            else sort_texts(of, found + first, spare + first, next - first, depth + 8, level + 1);
        }
    }
}

/* The texts of an arena in the order of their bytes, a shorter one before one that continues it.
   found and spare: two words for each of n texts. */
EXPORT void order_texts(const int64_t *ends, const uint8_t *arena, int64_t n, uint64_t *found, uint64_t *spare,
                        uint32_t *order)
{
    texts of;
    of.ends = ends;
    of.arena = arena;
    entry *entries = (entry *)found;
    for (int64_t i = 0; i < n; i++) entries[i].text = (uint64_t)i;
    sort_texts(of, entries, (entry *)spare, n, 0, 0);
    for (int64_t i = 0; i < n; i++) order[i] = (uint32_t)entries[i].text;
}
