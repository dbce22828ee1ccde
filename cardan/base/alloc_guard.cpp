#include "cardan/base/alloc_guard.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace {

// Fixed storage: a thread-local that is itself allocated on first use would recurse into malloc.
__attribute__((tls_model("initial-exec"))) thread_local long allocations = 0;

}  // namespace

#if defined(CARDAN_CHECKED) && defined(__SANITIZE_ADDRESS__)

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*,
                                                                  std::size_t),
                                                         void (*)(const volatile void*));

namespace {

void counted(const volatile void*, std::size_t) {
  ++allocations;
}

void released(const volatile void*) {}

const bool counting = __sanitizer_install_malloc_and_free_hooks(counted, released) > 0;

}  // namespace

#elif defined(CARDAN_CHECKED) && defined(__GLIBC__)

// malloc itself and not operator new, since Eigen allocates by malloc.
extern "C" {
void* __libc_malloc(std::size_t);                 // NOLINT(readability-identifier-naming)
void* __libc_calloc(std::size_t, std::size_t);    // NOLINT(readability-identifier-naming)
void* __libc_realloc(void*, std::size_t);         // NOLINT(readability-identifier-naming)
void* __libc_memalign(std::size_t, std::size_t);  // NOLINT(readability-identifier-naming)

void* malloc(std::size_t size) {
  ++allocations;
  void* p = __libc_malloc(size);      // NOLINT(readability-identifier-naming)
  if (p) std::memset(p, 0xff, size);  // eight such bytes are a NaN
  return p;
}

void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  ++allocations;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}
}

namespace {

const bool counting = true;

}  // namespace

#else

namespace {

const bool counting = false;

}  // namespace

#endif

namespace cardan {

AllocationGuard::AllocationGuard() : before_(allocations) {}

long AllocationGuard::count() const {
  return allocations - before_;
}

bool AllocationGuard::active() {
  return counting;
}

}  // namespace cardan
