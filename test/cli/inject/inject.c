// Loaded before the C library (LD_PRELOAD) to make its calls fail.
//   CARDAN_FAIL=write:3     the third call of write fails
//   CARDAN_FAIL=write:3+    and all after it
//   CARDAN_COUNT=FILE       the numbers of calls are written there at the end
//   CARDAN_SHADOW=DIR       with every fsync the file is copied to DIR: what a power cut would leave
//   CARDAN_POWER=5          the process ends at once after the fifth fsync
// Calls are counted from the start of main on, so that loading is not touched.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CALL_malloc, CALL_open, CALL_write, CALL_pwrite, CALL_read, CALL_pread, CALL_fsync, CALL_ftruncate, CALL_rename, CALL_unlink, CALL_mkdir, CALLS };
static const char *const names[CALLS] = {"malloc", "open", "write", "pwrite", "read", "pread", "fsync", "ftruncate", "rename", "unlink", "mkdir"};
static const int errors[CALLS] = {ENOMEM, EMFILE, ENOSPC, ENOSPC, EIO, EIO, EIO, EIO, EIO, EIO, ENOSPC};

static int started, failing = -1, on;  // failing: which call; on: all after it too
static long fail_at, counts[CALLS], syncs, power_at;
static char shadow[4096], count_file[4096];

static int fails(int call) {
  if (!started) return 0;
  const long n = __atomic_add_fetch(&counts[call], 1, __ATOMIC_RELAXED);
  if (call != failing || (n != fail_at && !(on && n > fail_at))) return 0;
  errno = errors[call];
  return 1;
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) *(void **)(&real) = dlsym(RTLD_NEXT, name)

// A program that counts its allocations has a malloc of its own, which calls __libc_malloc.
#define ALLOCATE(function, parameters, ...)       \
  void *function parameters {                     \
    REAL(void *, #function, __VA_ARGS__);         \
    if (fails(CALL_malloc)) return NULL;          \
    return real
ALLOCATE(malloc, (size_t n), size_t)(n); }
ALLOCATE(calloc, (size_t n, size_t m), size_t, size_t)(n, m); }
ALLOCATE(realloc, (void *p, size_t n), void *, size_t)(p, n); }
ALLOCATE(__libc_malloc, (size_t n), size_t)(n); }
ALLOCATE(__libc_calloc, (size_t n, size_t m), size_t, size_t)(n, m); }
ALLOCATE(__libc_realloc, (void *p, size_t n), void *, size_t)(p, n); }
ALLOCATE(__libc_memalign, (size_t n, size_t m), size_t, size_t)(n, m); }

static int open_mode(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0; }

#define OPEN(function)                                      \
  int function(const char *path, int flags, ...) {          \
    va_list list;                                           \
    va_start(list, flags);                                  \
    const int mode = open_mode(flags, list);                \
    va_end(list);                                           \
    REAL(int, #function, const char *, int, ...);           \
    return fails(CALL_open) ? -1 : real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define SIMPLE(call, type, function, parameters, ...) \
  type function parameters {                          \
    REAL(type, #function, __VA_ARGS__);               \
    if (fails(CALL_##call)) return -1;                \
    return real
SIMPLE(write, ssize_t, write, (int f, const void *p, size_t n), int, const void *, size_t)(f, p, n); }
SIMPLE(pwrite, ssize_t, pwrite, (int f, const void *p, size_t n, off_t at), int, const void *, size_t, off_t)(f, p, n, at); }
SIMPLE(pwrite, ssize_t, pwrite64, (int f, const void *p, size_t n, off64_t at), int, const void *, size_t, off64_t)(f, p, n, at); }
SIMPLE(read, ssize_t, read, (int f, void *p, size_t n), int, void *, size_t)(f, p, n); }
SIMPLE(pread, ssize_t, pread, (int f, void *p, size_t n, off_t at), int, void *, size_t, off_t)(f, p, n, at); }
SIMPLE(pread, ssize_t, pread64, (int f, void *p, size_t n, off64_t at), int, void *, size_t, off64_t)(f, p, n, at); }
SIMPLE(ftruncate, int, ftruncate, (int f, off_t n), int, off_t)(f, n); }
SIMPLE(ftruncate, int, ftruncate64, (int f, off64_t n), int, off64_t)(f, n); }
SIMPLE(rename, int, rename, (const char *a, const char *b), const char *, const char *)(a, b); }
SIMPLE(unlink, int, unlink, (const char *a), const char *)(a); }
SIMPLE(mkdir, int, mkdir, (const char *a, mode_t m), const char *, mode_t)(a, m); }

// The file behind a descriptor as it is now, to the folder of what is safe.
static void copy_to_shadow(int file) {
  char link[64], path[4096], target[9000];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  if (n <= 0) return;
  path[n] = 0;
  struct stat facts;
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return;
  const char *name = strrchr(path, '/');
  snprintf(target, sizeof target, "%s/%s", shadow, name ? name + 1 : path);
  FILE *from = fopen(path, "rb"), *to = fopen(target, "wb");
  char bytes[65536];
  size_t got;
  while (from && to && (got = fread(bytes, 1, sizeof bytes, from)) > 0) fwrite(bytes, 1, got, to);
  if (from) fclose(from);
  if (to) fclose(to);
}

static void synced(int file) {
  if (!started || !shadow[0]) return;
  copy_to_shadow(file);
  if (power_at > 0 && ++syncs == power_at) _exit(99);
}

int fsync(int file) {
  REAL(int, "fsync", int);
  if (fails(CALL_fsync)) return -1;
  const int result = real(file);
  synced(file);
  return result;
}

int fdatasync(int file) {
  REAL(int, "fdatasync", int);
  if (fails(CALL_fsync)) return -1;
  const int result = real(file);
  synced(file);
  return result;
}

static void tell(void) {
  started = 0;
  FILE *file = fopen(count_file, "w");
  if (!file) return;
  for (int k = 0; k < CALLS; ++k) fprintf(file, "%s %ld\n", names[k], counts[k]);
  fclose(file);
}

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("CARDAN_FAIL");
  const char *colon = text ? strchr(text, ':') : NULL;
  for (int k = 0; k < CALLS && colon; ++k)
    if (strncmp(text, names[k], (size_t)(colon - text)) == 0 && names[k][colon - text] == 0) failing = k;
  if (colon) {
    fail_at = atol(colon + 1);
    on = strchr(colon, '+') != NULL;
  }
  if ((text = getenv("CARDAN_SHADOW"))) snprintf(shadow, sizeof shadow, "%s", text);
  if ((text = getenv("CARDAN_POWER"))) power_at = atol(text);
  if ((text = getenv("CARDAN_COUNT"))) {
    snprintf(count_file, sizeof count_file, "%s", text);
    atexit(tell);
  }
}

// The start of main: what libraries make before it is not counted.
static int (*real_main)(int, char **, char **);

static int counted_main(int count, char **arguments, char **environment) {
  started = 1;
  return real_main(count, arguments, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end) {
  REAL(int, "__libc_start_main", int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
       void (*)(void), void *);
  real_main = main;
  return real(counted_main, count, arguments, init, fini, loader_fini, stack_end);
}
