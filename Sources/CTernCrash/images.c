#define _GNU_SOURCE
#include "internal.h"

#ifdef TERN_CRASH_SUPPORTED
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MAXIMUM_IMAGES 384
/// A compiler in the process may have thousands of mappings, which must not take the place of files.
#define MAXIMUM_ANONYMOUS 64

static struct image images[MAXIMUM_IMAGES];
static size_t image_count;
static size_t anonymous_count;
/// The paths of the images, each with a final NUL.
static char names[48 << 10];
static size_t names_used;

/// A line of `/proc/self/maps`: `start-end perms offset device inode path`.
struct mapping {
  uintptr_t low, high, offset;
  int is_executable;
  const char *path;
};

static const char *hexadecimal(const char *text, uintptr_t *value) {
  *value = 0;
  for (;; text++) {
    char c = *text;
    if (c >= '0' && c <= '9') *value = *value << 4 | (uintptr_t)(c - '0');
    else if (c >= 'a' && c <= 'f') *value = *value << 4 | (uintptr_t)(c - 'a' + 10);
    else return text;
  }
}

static struct mapping parse(const char *line) {
  struct mapping mapping = {0};
  line = hexadecimal(line, &mapping.low);
  if (*line == '-') line = hexadecimal(line + 1, &mapping.high);
  if (*line == ' ') line++;
  size_t length = strlen(line);
  mapping.is_executable = length > 4 && line[2] == 'x';
  if (length > 4) line = hexadecimal(line + 5, &mapping.offset);
  // Skip the device and the inode.
  for (int column = 0; column < 2; column++) {
    while (*line == ' ') line++;
    while (*line && *line != ' ') line++;
  }
  while (*line == ' ') line++;
  mapping.path = line;
  return mapping;
}

static const char *remember(const char *path) {
  size_t length = strlen(path) + 1;
  if (length > sizeof names - names_used) return "";
  char *copy = names + names_used;
  memcpy(copy, path, length);
  names_used += length;
  return copy;
}

static void add(struct mapping mapping, uintptr_t first) {
  struct image *last = image_count ? &images[image_count - 1] : NULL;
  if (last && last->high == mapping.low && strcmp(last->path, mapping.path) == 0) {
    last->high = mapping.high;
    return;
  }
  if (image_count == MAXIMUM_IMAGES || (!*mapping.path && anonymous_count++ >= MAXIMUM_ANONYMOUS)) return;
  images[image_count++] =
    (struct image){mapping.low, mapping.high, first, *mapping.path ? remember(mapping.path) : "", 0};
}

static void find_unwind_headers(void);

void tern_images_load(void) {
  static char text[8192];
  static char file[1024];
  image_count = 0;
  anonymous_count = 0;
  names_used = 0;
  file[0] = 0;
  uintptr_t first = 0;
  size_t filled = 0;
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return;
  for (;;) {
    ssize_t count = read(maps, text + filled, sizeof text - 1 - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    filled += (size_t)count;
    text[filled] = 0;
    char *line = text;
    char *end;
    while ((end = strchr(line, '\n'))) {
      *end = 0;
      struct mapping mapping = parse(line);
      // The first mapping of a file has its ELF header; others of the same file follow it.
      if (strcmp(file, mapping.path) != 0 || mapping.offset == 0) {
        first = mapping.low;
        size_t length = strlen(mapping.path);
        if (length >= sizeof file) length = sizeof file - 1;
        memcpy(file, mapping.path, length);
        file[length] = 0;
      }
      if (mapping.is_executable) add(mapping, first);
      line = end + 1;
    }
    filled -= (size_t)(line - text);
    memmove(text, line, filled);
    // A line that is longer than the buffer.
    if (filled == sizeof text - 1) filled = 0;
  }
  close(maps);
  find_unwind_headers();
}

const struct image *tern_images_find(uintptr_t address) {
  for (size_t index = 0; index < image_count; index++) {
    if (address >= images[index].low && address < images[index].high) return &images[index];
  }
  return NULL;
}

/// Writes the build identifier among the notes at an address; returns 1 if there is one.
static int write_build_id(uintptr_t address, uintptr_t size) {
  static uint8_t notes[2048];
  size_t count = tern_memory_read(address, notes, size < sizeof notes ? size : sizeof notes);
  for (size_t start = 0; start + sizeof(Elf64_Nhdr) <= count;) {
    Elf64_Nhdr header;
    memcpy(&header, notes + start, sizeof header);
    size_t name = start + sizeof header;
    if (header.n_namesz > count || header.n_descsz > count) return 0;
    size_t value = name + ((header.n_namesz + 3u) & ~3u);
    size_t next = value + ((header.n_descsz + 3u) & ~3u);
    if (value + header.n_descsz > count) return 0;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
      size_t length = header.n_descsz < 32 ? header.n_descsz : 32;
      tern_output_text(" ");
      tern_output_hex_bytes(notes + value, length);
      return length > 0;
    }
    start = next;
  }
  return 0;
}

static Elf64_Phdr segments[32];

/// Reads the segments of an image; returns their number, and its load bias: the difference between addresses in memory
/// and in the file.
static size_t read_segments(const struct image *image, uintptr_t *bias) {
  Elf64_Ehdr header;
  size_t count = 0;
  if (tern_memory_read(image->base, &header, sizeof header) == sizeof header &&
      memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_phentsize == sizeof(Elf64_Phdr)) {
    size_t wanted = header.e_phnum < 32 ? header.e_phnum : 32;
    count = tern_memory_read(image->base + header.e_phoff, segments, wanted * sizeof(Elf64_Phdr)) / sizeof(Elf64_Phdr);
  }
  *bias = image->base;
  for (size_t index = 0; index < count; index++) {
    if (segments[index].p_type == PT_LOAD) {
      *bias = image->base - (segments[index].p_vaddr - segments[index].p_offset);
      break;
    }
  }
  return count;
}

static void find_unwind_headers(void) {
  for (size_t number = 0; number < image_count; number++) {
    struct image *image = &images[number];
    uintptr_t bias;
    image->unwind_header = 0;
    size_t count = *image->path ? read_segments(image, &bias) : 0;
    for (size_t index = 0; index < count; index++) {
      if (segments[index].p_type == PT_GNU_EH_FRAME) image->unwind_header = bias + segments[index].p_vaddr;
    }
  }
}

/// Writes an image's load bias and its build identifier or `-`.
static void write_identity(const struct image *image) {
  uintptr_t bias;
  size_t count = read_segments(image, &bias);
  tern_output_address(bias);
  for (size_t index = 0; index < count; index++) {
    if (segments[index].p_type == PT_NOTE && write_build_id(bias + segments[index].p_vaddr, segments[index].p_memsz)) {
      return;
    }
  }
  tern_output_text(" -");
}

void tern_images_write(void) {
  for (size_t index = 0; index < image_count; index++) {
    const struct image *image = &images[index];
    if (!*image->path) continue;
    tern_output_text("image");
    tern_output_address(image->low);
    tern_output_address(image->high);
    write_identity(image);
    tern_output_text(" ");
    tern_output_line(image->path, strlen(image->path));
    tern_output_text("\n");
  }
}
#endif
