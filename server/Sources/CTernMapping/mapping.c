// A handler of SIGBUS for mapped files.
//
// The handler may interrupt anything, so it takes no lock and allocates nothing: ranges are a list that only grows, whose
// members are used again.

#ifdef __linux__
#define _GNU_SOURCE
#endif

#include "CTernMapping.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct tern_mapping {
    _Atomic(uintptr_t) start;
    /// 0 while the member is not in use.
    _Atomic(uintptr_t) end;
    _Atomic(bool) has_lost_pages;
    struct tern_mapping *next;
};

static _Atomic(struct tern_mapping *) mappings;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t installing = PTHREAD_ONCE_INIT;
static struct sigaction previous;
static uintptr_t page_size;

/// Puts a page of zeros in the place of a lost one; returns false if the address is not guarded.
static bool replace_page(uintptr_t address) {
    for (tern_mapping *mapping = atomic_load(&mappings); mapping; mapping = mapping->next) {
        // Read twice, because another thread may just be using the member for another range.
        uintptr_t end = atomic_load(&mapping->end);
        if (address < atomic_load(&mapping->start) || address >= end || atomic_load(&mapping->end) != end) continue;
        // Set before the page, so that no reader sees zeros without the mark.
        atomic_store(&mapping->has_lost_pages, true);
        void *page = (void *)(address & ~(page_size - 1));
        return mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANON | MAP_FIXED, -1, 0) != MAP_FAILED;
    }
    return false;
}

static void handle(int signal, siginfo_t *info, void *context) {
    int error = errno;
    bool is_replaced = info->si_code > 0 && replace_page((uintptr_t)info->si_addr);
    errno = error;
    if (is_replaced) return;
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signal, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal);
    } else if (previous.sa_handler == SIG_DFL || info->si_code > 0) {
        // The access is repeated when this returns, and ends the process; a signal that was sent is sent again.
        struct sigaction usual;
        memset(&usual, 0, sizeof usual);
        usual.sa_handler = SIG_DFL;
        sigaction(signal, &usual, NULL);
        if (info->si_code <= 0) raise(signal);
    }
}

static void install(void) {
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    // On the other stack, if a thread has one, as a handler before this one may need it.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    // First what was there: a signal may come as soon as this handler is there.
    sigaction(SIGBUS, NULL, &previous);
    sigaction(SIGBUS, &action, &previous);
}

tern_mapping *tern_mapping_guard(const void *start, size_t size) {
    pthread_once(&installing, install);
    pthread_mutex_lock(&changing);
    tern_mapping *mapping = atomic_load(&mappings);
    while (mapping && atomic_load(&mapping->end) != 0) mapping = mapping->next;
    bool is_new = !mapping;
    if (is_new) mapping = calloc(1, sizeof *mapping);
    if (mapping) {
        atomic_store(&mapping->has_lost_pages, false);
        atomic_store(&mapping->start, (uintptr_t)start);
        atomic_store(&mapping->end, (uintptr_t)start + size);
        if (is_new) {
            mapping->next = atomic_load(&mappings);
            atomic_store(&mappings, mapping);
        }
    }
    pthread_mutex_unlock(&changing);
    return mapping;
}

void tern_mapping_release(tern_mapping *mapping) {
    pthread_mutex_lock(&changing);
    atomic_store(&mapping->end, 0);
    pthread_mutex_unlock(&changing);
}

bool tern_mapping_has_lost_pages(const tern_mapping *mapping) { return atomic_load(&mapping->has_lost_pages); }
