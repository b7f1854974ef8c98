/* text.c - the characters of texts that others wrote. */
#include "base/base.h"

int32_t fy_character(const char *text, int *size)
{
    const uint8_t *byte = (const uint8_t *)text;
    int length = byte[0] < 0x80 ? 1 : byte[0] < 0xE0 ? 2 : byte[0] < 0xF0 ? 3 : 4;
    int32_t code = length == 1 ? byte[0] : byte[0] & (0x7F >> length);
    *size = 1;
    for (int i = 1; i < length; i++) {
        if ((byte[i] & 0xC0) != 0x80)
            return -1;
        code = code << 6 | (byte[i] & 0x3F);
    }
    /* No long forms of short characters, no surrogates, nothing beyond U+10FFFF. */
    static const int32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
    if ((length > 1 && byte[0] < 0xC2) || byte[0] > 0xF4 || code < min[length] ||
        (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF)
        return -1;
    *size = length;
    return code;
}

bool fy_character_hidden(int32_t code)
{
    /* Controls, and what Unicode calls ignorable by default. */
    static const int32_t range[][2] = {
        {0, 0x1F},          {0x7F, 0x9F},       {0xAD, 0xAD},      {0x34F, 0x34F},
        {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},  {0x180B, 0x180F},
        {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},  {0x3164, 0x3164},
        {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},  {0xFFF0, 0xFFFB},
        {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
    for (int64_t i = 0; i < FY_COUNT(range); i++)
        if (code >= range[i][0] && code <= range[i][1])
            return true;
    return false;
}

bool fy_has_hidden(const char *text)
{
    for (int size; *text; text += size) {
        int32_t code = fy_character(text, &size);
        if (code < 0 || fy_character_hidden(code))
            return true;
    }
    return false;
}

int fy_print_shown_character(fy_writer *writer, const char *text)
{
    int size;
    int32_t code = fy_character(text, &size);
    if (code < 0)
        fy_print(writer, "\\x%02x", (uint8_t)*text);
    else if (fy_character_hidden(code))
        fy_print(writer, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
    else
        fy_write_bytes(writer, text, (size_t)size);
    return size;
}

void fy_print_shown(fy_writer *writer, const char *text)
{
    while (*text)
        text += fy_print_shown_character(writer, text);
}
