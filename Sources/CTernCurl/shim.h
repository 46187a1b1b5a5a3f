// libcurl. Its setters take any type behind "...", which Swift cannot call: one typed function each.
#include <curl/curl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef size_t (*tern_curl_bytes)(char *bytes, size_t size, size_t count, void *context);
typedef int (*tern_curl_progress)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
typedef curl_socket_t (*tern_curl_open)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*tern_curl_close)(void *context, curl_socket_t socket);

static inline CURLcode tern_curl_set_text(CURL *handle, CURLoption option, const char *text) {
  return curl_easy_setopt(handle, option, text);
}
static inline CURLcode tern_curl_set_number(CURL *handle, CURLoption option, long number) {
  return curl_easy_setopt(handle, option, number);
}
static inline CURLcode tern_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *list) {
  return curl_easy_setopt(handle, option, list);
}
static inline CURLcode tern_curl_set_body(CURL *handle, const void *bytes, size_t count) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_POSTFIELDS, bytes) : code;
}
static inline CURLcode tern_curl_set_explanation(CURL *handle, char *buffer) {
  return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}
static inline CURLcode tern_curl_set_receivers(
    CURL *handle, tern_curl_bytes header, tern_curl_bytes body, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) : code;
}
static inline CURLcode tern_curl_set_upload(CURL *handle, tern_curl_bytes upload, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_READFUNCTION, upload);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_READDATA, context) : code;
}
static inline CURLcode tern_curl_set_progress(CURL *handle, tern_curl_progress progress, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context) : code;
}
static inline CURLcode tern_curl_set_sockets(
    CURL *handle, tern_curl_open open, tern_curl_close close, void *context) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
  if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, close);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, context) : code;
}
static inline CURLcode tern_curl_get_status(CURL *handle, long *status) {
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
}
static inline CURLcode tern_curl_get_system_error(CURL *handle, long *number) {
  return curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, number);
}

// Copies the bytes of an IPv4 or IPv6 address, and returns their number; 0 for another family.
static inline int tern_curl_address(const struct curl_sockaddr *address, unsigned char *bytes) {
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
static inline curl_socket_t tern_curl_socket(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
  return socket(address->family, address->socktype, address->protocol);
#endif
}
static inline int tern_curl_close_socket(curl_socket_t socket) { return close(socket); }
static inline void tern_curl_shut_down(curl_socket_t socket) { shutdown(socket, SHUT_RDWR); }
