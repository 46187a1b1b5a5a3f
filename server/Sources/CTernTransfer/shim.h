// libcurl. Its setters take any type behind "...", which Swift cannot call: one typed function each.
#include <curl/curl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef size_t (*tern_transfer_bytes)(char *bytes, size_t size, size_t count, void *context);
typedef int (*tern_transfer_progress)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
typedef curl_socket_t (*tern_transfer_open)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*tern_transfer_end)(void *context, curl_socket_t socket);

static inline CURLcode tern_transfer_text(CURL *handle, CURLoption option, const char *text) {
  return curl_easy_setopt(handle, option, text);
}
static inline CURLcode tern_transfer_number(CURL *handle, CURLoption option, long number) {
  return curl_easy_setopt(handle, option, number);
}
static inline CURLcode tern_transfer_size(CURL *handle, CURLoption option, long long number) {
  return curl_easy_setopt(handle, option, (curl_off_t)number);
}
static inline CURLcode tern_transfer_list(CURL *handle, CURLoption option, struct curl_slist *list) {
  return curl_easy_setopt(handle, option, list);
}
// The buffer of explanations, and the pointer to a body that stays where it is.
static inline CURLcode tern_transfer_pointer(CURL *handle, CURLoption option, const void *pointer) {
  return curl_easy_setopt(handle, option, pointer);
}
static inline CURLcode tern_transfer_callbacks(
    CURL *handle, tern_transfer_bytes header, tern_transfer_bytes body, tern_transfer_bytes upload,
    tern_transfer_progress progress, tern_transfer_open open, tern_transfer_end end, void *context) {
  CURLcode codes[] = {
      curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header),
      curl_easy_setopt(handle, CURLOPT_HEADERDATA, context),
      curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body),
      curl_easy_setopt(handle, CURLOPT_WRITEDATA, context),
      curl_easy_setopt(handle, CURLOPT_READFUNCTION, upload),
      curl_easy_setopt(handle, CURLOPT_READDATA, context),
      curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress),
      curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context),
      curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open),
      curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context),
      curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, end),
      curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, context),
  };
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    if (codes[i] != CURLE_OK) return codes[i];
  return CURLE_OK;
}
static inline CURLcode tern_transfer_status(CURL *handle, long *status) {
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}

// Copies the bytes of an IPv4 or IPv6 address, and returns their number; 0 for another family.
static inline int tern_transfer_address(const struct curl_sockaddr *address, unsigned char *bytes) {
  if (address->family == AF_INET) {
    struct sockaddr_in v4;
    memcpy(&v4, &address->addr, sizeof v4);
    memcpy(bytes, &v4.sin_addr, 4);
    return 4;
  }
  if (address->family == AF_INET6) {
    struct sockaddr_in6 v6;
    // The structure is declared shorter than what it holds; `addrlen` says how long it is.
    if (address->addrlen < sizeof v6) return 0;
    memcpy(&v6, (const char *)address + offsetof(struct curl_sockaddr, addr), sizeof v6);
    memcpy(bytes, &v6.sin6_addr, 16);
    return 16;
  }
  return 0;
}
// Opens a socket that child processes don't inherit.
static inline curl_socket_t tern_transfer_socket(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
  return socket(address->family, address->socktype, address->protocol);
#endif
}
static inline int tern_transfer_close(curl_socket_t socket) { return close(socket); }
static inline void tern_transfer_shut_down(curl_socket_t socket) { shutdown(socket, SHUT_RDWR); }
