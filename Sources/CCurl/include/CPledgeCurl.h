#ifndef CPLEDGE_CURL_H
#define CPLEDGE_CURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CPoller.h"

/// The system's libcurl, looked up on first use.
///
/// libcurl is not linked, and its headers are not included. So the build of this package does not require the headers,
/// and a program requires libcurl only if it sends requests over libcurl. The numbers below belong to libcurl's public
/// interface, and are the same in all versions with the soname 4.

/// The reason why libcurl cannot be used.
enum ccurl_availability {
    ccurl_available,
    /// No library has one of the expected names.
    ccurl_missing,
    /// The library lacks a function.
    ccurl_incomplete,
    /// The library is older than CCURL_MIN_VERSION.
    ccurl_too_old,
    /// The library's global initialisation has failed.
    ccurl_cannot_start,
    /// This system cannot look up a library, or cannot wait for sockets.
    ccurl_unsupported,
};

/// 7.80.0, the first version with a callback just before a request is sent.
#define CCURL_MIN_VERSION 0x075000

/// The features of libcurl that this package uses: bits of ccurl_features.
enum ccurl_feature {
    ccurl_feature_tls = 1 << 2,  // CURL_VERSION_SSL
    ccurl_feature_http2 = 1 << 16,  // CURL_VERSION_HTTP2
    ccurl_feature_unix_sockets = 1 << 19,  // CURL_VERSION_UNIX_SOCKETS
    ccurl_feature_https_proxy = 1 << 21,  // CURL_VERSION_HTTPS_PROXY
    ccurl_feature_http3 = 1 << 25,  // CURL_VERSION_HTTP3
};

/// Options of a transfer with an integer value.
enum ccurl_long_option {
    ccurl_verbose = 41,  // CURLOPT_VERBOSE
    ccurl_no_progress = 43,  // CURLOPT_NOPROGRESS
    ccurl_no_body = 44,  // CURLOPT_NOBODY
    ccurl_upload = 46,  // CURLOPT_UPLOAD
    ccurl_post = 47,  // CURLOPT_POST
    ccurl_verify_peer = 64,  // CURLOPT_SSL_VERIFYPEER
    ccurl_fresh_connect = 74,  // CURLOPT_FRESH_CONNECT
    ccurl_forbid_reuse = 75,  // CURLOPT_FORBID_REUSE
    ccurl_http_get = 80,  // CURLOPT_HTTPGET
    ccurl_verify_host = 81,  // CURLOPT_SSL_VERIFYHOST
    ccurl_http_version = 84,  // CURLOPT_HTTP_VERSION
    ccurl_buffer_size = 98,  // CURLOPT_BUFFERSIZE
    ccurl_address_seconds = 92,  // CURLOPT_DNS_CACHE_TIMEOUT
    ccurl_no_signal = 99,  // CURLOPT_NOSIGNAL
    ccurl_connect_timeout_ms = 156,  // CURLOPT_CONNECTTIMEOUT_MS
    ccurl_protocols = 181,  // CURLOPT_PROTOCOLS
    ccurl_ssl_version = 32,  // CURLOPT_SSLVERSION
    ccurl_tcp_keep_alive = 213,  // CURLOPT_TCP_KEEPALIVE
    ccurl_tcp_keep_idle = 214,  // CURLOPT_TCP_KEEPIDLE
    ccurl_tcp_keep_interval = 215,  // CURLOPT_TCP_KEEPINTVL
    ccurl_header_separation = 229,  // CURLOPT_HEADEROPT
    ccurl_path_as_is = 234,  // CURLOPT_PATH_AS_IS
    ccurl_upload_buffer_size = 280,  // CURLOPT_UPLOAD_BUFFERSIZE
    ccurl_pipe_wait = 237,  // CURLOPT_PIPEWAIT
    ccurl_suppress_connect_headers = 265,  // CURLOPT_SUPPRESS_CONNECT_HEADERS
    ccurl_max_idle_seconds = 288,  // CURLOPT_MAXAGE_CONN
    ccurl_max_age_seconds = 314,  // CURLOPT_MAXLIFETIME_CONN
    /// In 7.87 and later, this makes a transfer end without waiting for a thread that looks up a name.
    ccurl_quick_exit = 322,  // CURLOPT_QUICK_EXIT, since 0x075700
};

/// Options of a transfer with a text value, which libcurl copies.
enum ccurl_text_option {
    ccurl_url = 10002,  // CURLOPT_URL
    ccurl_proxy = 10004,  // CURLOPT_PROXY
    ccurl_custom_request = 10036,  // CURLOPT_CUSTOMREQUEST
    ccurl_ca_folder = 10097,  // CURLOPT_CAPATH
    ccurl_certificate_file = 10025,  // CURLOPT_SSLCERT
    ccurl_key_password = 10026,  // CURLOPT_KEYPASSWD
    ccurl_certificate_type = 10086,  // CURLOPT_SSLCERTTYPE
    ccurl_key_file = 10087,  // CURLOPT_SSLKEY
    ccurl_proxy_user = 10175,  // CURLOPT_PROXYUSERNAME
    ccurl_proxy_password = 10176,  // CURLOPT_PROXYPASSWORD
    ccurl_no_proxy = 10177,  // CURLOPT_NOPROXY
    ccurl_pinned_public_key = 10230,  // CURLOPT_PINNEDPUBLICKEY
    ccurl_unix_socket_path = 10231,  // CURLOPT_UNIX_SOCKET_PATH
};

/// Options of a transfer with a number of bytes.
enum ccurl_offset_option {
    ccurl_upload_length = 30115,  // CURLOPT_INFILESIZE_LARGE
    ccurl_post_length = 30120,  // CURLOPT_POSTFIELDSIZE_LARGE
};

/// Options of a transfer with a list value. The list must live as long as the option is set.
enum ccurl_list_option {
    ccurl_http_header = 10023,  // CURLOPT_HTTPHEADER
    ccurl_resolve = 10203,  // CURLOPT_RESOLVE
};

/// Options of all transfers together.
enum ccurl_multi_option {
    ccurl_max_kept_connections = 6,  // CURLMOPT_MAXCONNECTS
    ccurl_max_host_connections = 7,  // CURLMOPT_MAX_HOST_CONNECTIONS
    ccurl_max_total_connections = 13,  // CURLMOPT_MAX_TOTAL_CONNECTIONS
};

/// Integers that a transfer reports.
enum ccurl_long_info {
    ccurl_info_os_error = 0x200000 + 25,  // CURLINFO_OS_ERRNO
    ccurl_info_new_connections = 0x200000 + 26,  // CURLINFO_NUM_CONNECTS
    ccurl_info_remote_port = 0x200000 + 40,  // CURLINFO_PRIMARY_PORT
    ccurl_info_local_port = 0x200000 + 42,  // CURLINFO_LOCAL_PORT
    ccurl_info_http_version = 0x200000 + 46,  // CURLINFO_HTTP_VERSION
    ccurl_info_connect_code = 0x200000 + 22,  // CURLINFO_HTTP_CONNECTCODE
    ccurl_info_proxy_error = 0x200000 + 59,  // CURLINFO_PROXY_ERROR
};

/// Large numbers that a transfer reports; times are in microseconds since it began.
enum ccurl_offset_info {
    ccurl_info_upload_size = 0x600000 + 7,  // CURLINFO_SIZE_UPLOAD_T
    ccurl_info_name_lookup_time = 0x600000 + 51,  // CURLINFO_NAMELOOKUP_TIME_T
    ccurl_info_connect_time = 0x600000 + 52,  // CURLINFO_CONNECT_TIME_T
    ccurl_info_start_transfer_time = 0x600000 + 54,  // CURLINFO_STARTTRANSFER_TIME_T
    ccurl_info_secure_connect_time = 0x600000 + 56,  // CURLINFO_APPCONNECT_TIME_T
};

/// Texts that a transfer reports, valid until the transfer changes.
enum ccurl_text_info {
    ccurl_info_remote_address = 0x100000 + 32,  // CURLINFO_PRIMARY_IP
};

/// The codes of an ended transfer, as far as this package distinguishes them.
enum ccurl_code {
    ccurl_ok = 0,  // CURLE_OK
    ccurl_unsupported_protocol = 1,  // CURLE_UNSUPPORTED_PROTOCOL
    ccurl_not_built_in = 4,  // CURLE_NOT_BUILT_IN
    ccurl_cannot_resolve_proxy = 5,  // CURLE_COULDNT_RESOLVE_PROXY
    ccurl_cannot_resolve_host = 6,  // CURLE_COULDNT_RESOLVE_HOST
    ccurl_cannot_connect = 7,  // CURLE_COULDNT_CONNECT
    ccurl_weird_server_reply = 8,  // CURLE_WEIRD_SERVER_REPLY
    ccurl_http2_error = 16,  // CURLE_HTTP2
    ccurl_partial_file = 18,  // CURLE_PARTIAL_FILE
    ccurl_out_of_memory = 27,  // CURLE_OUT_OF_MEMORY
    ccurl_timed_out = 28,  // CURLE_OPERATION_TIMEDOUT
    ccurl_ssl_connect_error = 35,  // CURLE_SSL_CONNECT_ERROR
    ccurl_bad_argument = 43,  // CURLE_BAD_FUNCTION_ARGUMENT
    ccurl_got_nothing = 52,  // CURLE_GOT_NOTHING
    ccurl_send_error = 55,  // CURLE_SEND_ERROR
    ccurl_receive_error = 56,  // CURLE_RECV_ERROR
    ccurl_ssl_certificate_problem = 58,  // CURLE_SSL_CERTPROBLEM
    ccurl_ssl_cipher = 59,  // CURLE_SSL_CIPHER
    ccurl_peer_failed_verification = 60,  // CURLE_PEER_FAILED_VERIFICATION
    ccurl_bad_content_encoding = 61,  // CURLE_BAD_CONTENT_ENCODING
    ccurl_rewind_failed = 65,  // CURLE_SEND_FAIL_REWIND
    ccurl_ssl_ca_unreadable = 77,  // CURLE_SSL_CACERT_BADFILE
    ccurl_again = 81,  // CURLE_AGAIN
    ccurl_pinned_key_mismatch = 90,  // CURLE_SSL_PINNEDPUBKEYNOTMATCH
    ccurl_http2_stream = 92,  // CURLE_HTTP2_STREAM
    ccurl_http3_error = 95,  // CURLE_HTTP3
    ccurl_quic_connect_error = 96,  // CURLE_QUIC_CONNECT_ERROR
    ccurl_proxy_handshake = 97,  // CURLE_PROXY
    ccurl_ssl_client_certificate = 98,  // CURLE_SSL_CLIENTCERT
    ccurl_too_large = 100,  // CURLE_TOO_LARGE, since 0x080600
};

/// The reasons of a SOCKS proxy's refusal.
enum ccurl_proxy_refusal {
    ccurl_proxy_no_method = 12,  // CURLPX_NO_AUTH
    ccurl_proxy_not_allowed = 23,  // CURLPX_REPLY_NOT_ALLOWED
    ccurl_proxy_user_rejected = 33,  // CURLPX_USER_REJECTED
};

/// The values that a transfer's functions may return instead of a count.
enum {
    ccurl_write_pause = 0x10000001,  // CURL_WRITEFUNC_PAUSE
    ccurl_read_pause = 0x10000001,  // CURL_READFUNC_PAUSE
    ccurl_read_abort = 0x10000000,  // CURL_READFUNC_ABORT
    ccurl_seek_done = 0,  // CURL_SEEKFUNC_OK
    ccurl_seek_failed = 1,  // CURL_SEEKFUNC_FAIL
    ccurl_may_send = 0,  // CURL_PREREQFUNC_OK
    ccurl_must_not_send = 1,  // CURL_PREREQFUNC_ABORT
};

/// One transfer.
typedef struct ccurl_easy ccurl_easy;
/// All transfers of one thread, with their connections.
typedef struct ccurl_multi ccurl_multi;
/// A list of texts.
typedef struct ccurl_list ccurl_list;

/// The functions that a transfer calls, with the context from ccurl_set_context.
struct ccurl_functions {
    /// Receives a line of a head.
    size_t (*_Nonnull header)(char *_Nonnull, size_t, size_t, void *_Nonnull);
    /// Receives bytes of a body.
    size_t (*_Nonnull write)(char *_Nonnull, size_t, size_t, void *_Nonnull);
    /// Copies bytes of a body to send.
    size_t (*_Nonnull read)(char *_Nonnull, size_t, size_t, void *_Nonnull);
    /// Moves to another position of the body to send.
    int (*_Nonnull seek)(void *_Nonnull, int64_t, int);
    /// Gets the numbers of bytes to receive, received, to send, and sent; called only with ccurl_no_progress off.
    int (*_Nonnull progress)(void *_Nonnull, int64_t, int64_t, int64_t, int64_t);
    /// Called when the transfer has a connection, just before it sends the request.
    int (*_Nonnull connected)(
        void *_Nonnull, char *_Nullable, char *_Nullable, int, int);
    /// Called before a name is looked up.
    int (*_Nonnull resolving)(void *_Nullable, void *_Nullable, void *_Nonnull);
    /// Called when a socket has been created, before it is connected.
    int (*_Nonnull connecting)(void *_Nonnull, int, int);
};

/// Returns whether libcurl can be used, and looks it up the first time. Any thread may call it.
enum ccurl_availability ccurl_look_up(void);

/// The version as 0xXXYYZZ; 0 if there is no library. A library that is too old has a version too.
unsigned int ccurl_version_number(void);

/// The features of libcurl, as bits of ccurl_feature.
unsigned int ccurl_features(void);

/// The TLS library's name and version; NULL if there is none.
const char *_Nullable ccurl_tls_library(void);

/// The file of authorities that libcurl was built with; NULL if there is none.
const char *_Nullable ccurl_default_ca_file(void);

/// libcurl's words for a code, valid until the process ends.
const char *_Nonnull ccurl_words(int code);

// All functions below require that ccurl_look_up has returned ccurl_available. Only one thread at a time may use a
// transfer or a multi.

/// Creates a transfer; NULL if there is no memory.
ccurl_easy *_Nullable ccurl_easy_make(void);
void ccurl_easy_free(ccurl_easy *_Nonnull easy);

// Each returns a ccurl_code.
int ccurl_set_long(ccurl_easy *_Nonnull easy, enum ccurl_long_option option, long value);
int ccurl_set_offset(ccurl_easy *_Nonnull easy, enum ccurl_offset_option option, int64_t value);
int ccurl_set_text(
    ccurl_easy *_Nonnull easy, enum ccurl_text_option option, const char *_Nullable value);
int ccurl_set_list(
    ccurl_easy *_Nonnull easy, enum ccurl_list_option option, ccurl_list *_Nullable value);

/// Copies the authorities' certificates in PEM.
int ccurl_set_authorities(ccurl_easy *_Nonnull easy, const void *_Nonnull bytes, size_t count);

/// Copies the body to send, whose length must have been set before.
int ccurl_copy_post_fields(ccurl_easy *_Nonnull easy, const void *_Nullable bytes);

/// Sets the functions that the transfer calls. ccurl_set_context sets the context that they get.
void ccurl_set_functions(ccurl_easy *_Nonnull easy, const struct ccurl_functions *_Nonnull functions);
void ccurl_set_context(ccurl_easy *_Nonnull easy, void *_Nonnull context);
void *_Nonnull ccurl_context(ccurl_easy *_Nonnull easy);

/// libcurl's report on a request over HTTP/2.
struct ccurl_refusal {
    /// True if the server has not processed the request and never will.
    bool is_refused;
    /// The number of the request's stream; zero if it is not known.
    uint32_t stream;
};

/// Records in `refusal` if libcurl says that the server has not processed the request and never will.
///
/// A server says that it has not processed a request in three ways: it resets the stream with HTTP_1_1_REQUIRED, resets
/// it with REFUSED_STREAM, or sends a GOAWAY whose last stream is lower than the request's. libcurl reports
/// REFUSED_STREAM and GOAWAY only from 8.19.0 on. The reports are texts in libcurl's log, and writing the log costs
/// time.
///
/// If `refusal` is NULL, the recording ends.
void ccurl_watch_refusals(ccurl_easy *_Nonnull easy, struct ccurl_refusal *_Nullable refusal);

/// Sets the buffer for error messages: at least 256 bytes, or NULL for none.
void ccurl_set_error_buffer(ccurl_easy *_Nonnull easy, char *_Nullable buffer);

long ccurl_get_long(ccurl_easy *_Nonnull easy, enum ccurl_long_info info);
int64_t ccurl_get_offset(ccurl_easy *_Nonnull easy, enum ccurl_offset_info info);
const char *_Nullable ccurl_get_text(ccurl_easy *_Nonnull easy, enum ccurl_text_info info);

/// The descriptor of an ended transfer's connection; -1 if the connection is closed.
int ccurl_socket(ccurl_easy *_Nonnull easy);

/// Pauses the directions in `bits` (1 receiving, 4 sending), and resumes the others.
int ccurl_pause(ccurl_easy *_Nonnull easy, int bits);

/// Appends a copy of a text; returns NULL and leaves the list unchanged if there is no memory.
ccurl_list *_Nullable ccurl_list_append(ccurl_list *_Nullable list, const char *_Nonnull text);
void ccurl_list_free(ccurl_list *_Nullable list);

/// Creates a multi; NULL if there is no memory.
///
/// - socket: Called with a descriptor and the events to wait for: bits 1 in, 2 out; 4 to stop waiting.
/// - timer: Called with the milliseconds after which ccurl_multi_time_out must be called; -1 for never.
ccurl_multi *_Nullable ccurl_multi_make(
    int (*_Nonnull socket)(void *_Nullable, int, int, void *_Nonnull, void *_Nullable),
    int (*_Nonnull timer)(void *_Nonnull, long, void *_Nonnull));
/// Sets the context of the multi's functions, before the first transfer is added.
void ccurl_multi_set_context(ccurl_multi *_Nonnull multi, void *_Nonnull context);
void ccurl_multi_free(ccurl_multi *_Nonnull multi);
void ccurl_multi_set(ccurl_multi *_Nonnull multi, enum ccurl_multi_option option, long value);

// Each returns 0 on success.
int ccurl_multi_add(ccurl_multi *_Nonnull multi, ccurl_easy *_Nonnull easy);
int ccurl_multi_remove(ccurl_multi *_Nonnull multi, ccurl_easy *_Nonnull easy);

/// Lets libcurl continue with a descriptor that is ready: bits 1 in, 2 out, 4 error.
int ccurl_multi_ready(ccurl_multi *_Nonnull multi, int descriptor, int ready);
/// Lets libcurl continue after the time of the timer has passed.
int ccurl_multi_time_out(ccurl_multi *_Nonnull multi);

/// Lets every transfer continue, which is slow.
void ccurl_multi_go_on(ccurl_multi *_Nonnull multi);

/// Returns the next ended transfer and its code; NULL if there is none.
ccurl_easy *_Nullable ccurl_multi_next_ended(ccurl_multi *_Nonnull multi, int *_Nonnull code);

#endif
