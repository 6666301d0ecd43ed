#include "CPledgeCurl.h"

#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// libcurl's message about an ended transfer, in the layout of its manual.
struct message_layout {
    int kind;  // CURLMsg, msg
    ccurl_easy *easy;  // CURLMsg, easy_handle
    union {
        void *whatever;
        int code;
    } data;  // CURLMsg, data
};

// Bytes for libcurl.
struct blob_layout {
    void *bytes;  // struct curl_blob, data
    size_t count;  // struct curl_blob, len
    unsigned int flags;  // struct curl_blob, flags
};

// The beginning of libcurl's version information, as of age 6. Later fields are not read.
struct version_layout {
    int age;  // curl_version_info_data, age
    const char *text;
    unsigned int number;  // curl_version_info_data, version_num
    const char *host;
    int features;  // curl_version_info_data, features
    const char *tls;  // curl_version_info_data, ssl_version
    long tls_number;
    const char *zlib;
    const char *const *protocols;
    const char *ares;
    int ares_number;
    const char *idn;
    int iconv_number;
    const char *ssh;
    unsigned int brotli_number;
    const char *brotli;
    unsigned int nghttp2_number;
    const char *nghttp2;
    const char *quic;
    const char *ca_file;  // curl_version_info_data, cainfo
    const char *ca_folder;
};

static struct {
    int (*global_init)(long);
    struct version_layout *(*version_info)(int);
    const char *(*easy_words)(int);
    ccurl_easy *(*easy_init)(void);
    void (*easy_cleanup)(ccurl_easy *);
    int (*easy_setopt)(ccurl_easy *, int, ...);
    int (*easy_getinfo)(ccurl_easy *, int, ...);
    int (*easy_pause)(ccurl_easy *, int);
    ccurl_list *(*list_append)(ccurl_list *, const char *);
    void (*list_free)(ccurl_list *);
    ccurl_multi *(*multi_init)(void);
    int (*multi_cleanup)(ccurl_multi *);
    int (*multi_setopt)(ccurl_multi *, int, ...);
    int (*multi_add)(ccurl_multi *, ccurl_easy *);
    int (*multi_remove)(ccurl_multi *, ccurl_easy *);
    int (*multi_all)(ccurl_multi *, int *);
    int (*multi_action)(ccurl_multi *, int, int, int *);
    struct message_layout *(*multi_read)(ccurl_multi *, int *);
    enum ccurl_availability availability;
    unsigned int number;
    unsigned int features;
    const char *tls;
    const char *ca_file;
} curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;

// A statically linked program, such as one over musl, cannot look up a library. Of Apple's systems, only macOS has a
// libcurl that an app may use. On the other systems, libcurl is private, and App Review rejects an app that opens it.
#if defined(__GLIBC__) || (defined(__APPLE__) && TARGET_OS_OSX)
static void *open_library(void) {
#if defined(__APPLE__)
    return dlopen("/usr/lib/libcurl.4.dylib", RTLD_NOW | RTLD_LOCAL);
#else
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    // This is Debian's other libcurl, which uses GnuTLS.
    return library ? library : dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
#endif
}

static bool find_functions(void *library) {
    const struct {
        const char *name;
        void *place;
    } all[] = {
        {"curl_global_init", &curl.global_init},
        {"curl_version_info", &curl.version_info},
        {"curl_easy_strerror", &curl.easy_words},
        {"curl_easy_init", &curl.easy_init},
        {"curl_easy_cleanup", &curl.easy_cleanup},
        {"curl_easy_setopt", &curl.easy_setopt},
        {"curl_easy_getinfo", &curl.easy_getinfo},
        {"curl_easy_pause", &curl.easy_pause},
        {"curl_slist_append", &curl.list_append},
        {"curl_slist_free_all", &curl.list_free},
        {"curl_multi_init", &curl.multi_init},
        {"curl_multi_cleanup", &curl.multi_cleanup},
        {"curl_multi_setopt", &curl.multi_setopt},
        {"curl_multi_add_handle", &curl.multi_add},
        {"curl_multi_remove_handle", &curl.multi_remove},
        {"curl_multi_socket_all", &curl.multi_all},
        {"curl_multi_socket_action", &curl.multi_action},
        {"curl_multi_info_read", &curl.multi_read},
    };
    for (size_t index = 0; index < sizeof(all) / sizeof(all[0]); index++) {
        void *function = dlsym(library, all[index].name);
        if (!function) return false;
        // The bytes are copied, because ISO C cannot convert an object pointer to a function pointer.
        memcpy(all[index].place, &function, sizeof(function));
    }
    return true;
}

// The library is never closed, because libcurl keeps state for the process, and other code in the process may use it.
static void look_up(void) {
    void *library = open_library();
    curl.availability = ccurl_missing;
    if (!library) return;
    curl.availability = ccurl_incomplete;
    if (!find_functions(library)) return;
    const struct version_layout *version = curl.version_info(6);
    curl.number = version->number;
    curl.features = (unsigned int)version->features;
    curl.tls = version->tls;
    // Older version information, from before 7.70.0, lacks this field, and has an age below 6.
    curl.ca_file = version->age >= 6 ? version->ca_file : NULL;
    curl.availability = ccurl_too_old;
    if (curl.number < CCURL_MIN_VERSION) return;
    // libcurl counts the calls of this function. If Foundation has called it before, this call only increases the
    // count.
    const long everything = 3;
    curl.availability = curl.global_init(everything) == ccurl_ok ? ccurl_available : ccurl_cannot_start;
}
#else
static void look_up(void) { curl.availability = ccurl_unsupported; }
#endif

enum ccurl_availability ccurl_look_up(void) {
    pthread_once(&once, look_up);
    return curl.availability;
}

unsigned int ccurl_version_number(void) { return curl.number; }

unsigned int ccurl_features(void) { return curl.features; }

const char *ccurl_tls_library(void) { return curl.tls; }

const char *ccurl_default_ca_file(void) { return curl.ca_file; }

const char *ccurl_words(int code) { return curl.easy_words(code); }

ccurl_easy *ccurl_easy_make(void) { return curl.easy_init(); }

void ccurl_easy_free(ccurl_easy *easy) { curl.easy_cleanup(easy); }

int ccurl_set_long(ccurl_easy *easy, enum ccurl_long_option option, long value) {
    return curl.easy_setopt(easy, (int)option, value);
}

int ccurl_set_offset(ccurl_easy *easy, enum ccurl_offset_option option, int64_t value) {
    return curl.easy_setopt(easy, (int)option, value);
}

int ccurl_set_text(ccurl_easy *easy, enum ccurl_text_option option, const char *value) {
    return curl.easy_setopt(easy, (int)option, value);
}

int ccurl_set_list(ccurl_easy *easy, enum ccurl_list_option option, ccurl_list *value) {
    return curl.easy_setopt(easy, (int)option, value);
}

int ccurl_copy_post_fields(ccurl_easy *easy, const void *bytes) {
    const int copy = 10165 /* CURLOPT_COPYPOSTFIELDS */, refer = 10015 /* CURLOPT_POSTFIELDS */;
    // Without bytes, `refer` is set, because that makes libcurl free its copy of earlier bytes.
    return bytes ? curl.easy_setopt(easy, copy, bytes) : curl.easy_setopt(easy, refer, NULL);
}

void ccurl_set_functions(ccurl_easy *easy, const struct ccurl_functions *functions) {
    curl.easy_setopt(easy, 20079 /* CURLOPT_HEADERFUNCTION */, functions->header);
    curl.easy_setopt(easy, 20011 /* CURLOPT_WRITEFUNCTION */, functions->write);
    curl.easy_setopt(easy, 20012 /* CURLOPT_READFUNCTION */, functions->read);
    curl.easy_setopt(easy, 20167 /* CURLOPT_SEEKFUNCTION */, functions->seek);
    curl.easy_setopt(easy, 20219 /* CURLOPT_XFERINFOFUNCTION */, functions->progress);
    curl.easy_setopt(easy, 20312 /* CURLOPT_PREREQFUNCTION */, functions->connected);
    curl.easy_setopt(easy, 20272 /* CURLOPT_RESOLVER_START_FUNCTION */, functions->resolving);
    curl.easy_setopt(easy, 20148 /* CURLOPT_SOCKOPTFUNCTION */, functions->connecting);
}

void ccurl_set_context(ccurl_easy *easy, void *context) {
    static const int options[] = {
        10029 /* CURLOPT_HEADERDATA */, 10001 /* CURLOPT_WRITEDATA */,
        10009 /* CURLOPT_READDATA */, 10168 /* CURLOPT_SEEKDATA */,
        10313 /* CURLOPT_PREREQDATA */, 10273 /* CURLOPT_RESOLVER_START_DATA */,
        10149 /* CURLOPT_SOCKOPTDATA */, 10057 /* CURLOPT_XFERINFODATA */,
        10103 /* CURLOPT_PRIVATE */,
    };
    for (size_t index = 0; index < sizeof(options) / sizeof(options[0]); index++)
        curl.easy_setopt(easy, options[index], context);
}

void *ccurl_context(ccurl_easy *easy) {
    void *context = NULL;
    curl.easy_getinfo(easy, 0x100000 + 21 /* CURLINFO_PRIVATE */, &context);
    return context;
}

int ccurl_set_authorities(ccurl_easy *easy, const void *bytes, size_t count) {
    struct blob_layout blob = {(void *)bytes, count, 1};
    return curl.easy_setopt(easy, 40309 /* CURLOPT_CAINFO_BLOB */, &blob);
}

static const char *find(const char *text, size_t count, const char *words) {
    const size_t length = strlen(words);
    for (size_t start = 0; start + length <= count; start++)
        if (memcmp(text + start, words, length) == 0) return text + start + length;
    return NULL;
}

static bool begins(const char *text, size_t count, const char *words) {
    return count >= strlen(words) && memcmp(text, words, strlen(words)) == 0;
}

// Returns the number after `words` in a text; `other` if the words are missing or no digit follows them.
static uint32_t number(const char *text, size_t count, const char *words, uint32_t other) {
    const char *digit = find(text, count, words);
    if (!digit || digit == text + count || *digit < '0' || *digit > '9') return other;
    uint32_t value = 0;
    for (; digit < text + count && *digit >= '0' && *digit <= '9'; digit++)
        value = value * 10 + (uint32_t)(*digit - '0');
    return value;
}

static int note_refusal(ccurl_easy *easy, int kind, char *text, size_t count, void *context) {
    (void)easy;
    struct ccurl_refusal *refusal = context;
    // Kind 0 is a text of libcurl's log; the other kinds are heads and bodies. Texts that contain words from the
    // request don't begin like the texts below.
    if (kind != 0) return 0;
    if (begins(text, count, "HTTP/2 stream ")) {
        if (find(text, count, "refused by server, try again") || find(text, count, "HTTP_1_1_REQUIRED"))
            refusal->is_refused = true;
    } else if (begins(text, count, "[HTTP/2] [") && find(text, count, "] OPENED stream for ")) {
        refusal->stream = number(text, count, "[HTTP/2] [", 0);
        refusal->is_refused = false;
    } else if (begins(text, count, "received GOAWAY, error=")) {
        // For a GOAWAY, libcurl also logs a longer text, but not if the server gives a reason, or closes the connection
        // at once.
        if (number(text, count, "last_stream=", UINT32_MAX) < refusal->stream) refusal->is_refused = true;
    }
    return 0;
}

void ccurl_watch_refusals(ccurl_easy *easy, struct ccurl_refusal *refusal) {
    curl.easy_setopt(easy, 20094 /* CURLOPT_DEBUGFUNCTION */, note_refusal);
    curl.easy_setopt(easy, 10095 /* CURLOPT_DEBUGDATA */, refusal);
    curl.easy_setopt(easy, (int)ccurl_verbose, refusal ? 1L : 0L);
}

void ccurl_set_error_buffer(ccurl_easy *easy, char *buffer) { curl.easy_setopt(easy, 10010 /* CURLOPT_ERRORBUFFER */, buffer); }

long ccurl_get_long(ccurl_easy *easy, enum ccurl_long_info info) {
    long value = 0;
    curl.easy_getinfo(easy, (int)info, &value);
    return value;
}

int64_t ccurl_get_offset(ccurl_easy *easy, enum ccurl_offset_info info) {
    int64_t value = 0;
    curl.easy_getinfo(easy, (int)info, &value);
    return value;
}

const char *ccurl_get_text(ccurl_easy *easy, enum ccurl_text_info info) {
    const char *value = NULL;
    curl.easy_getinfo(easy, (int)info, &value);
    return value;
}

int ccurl_socket(ccurl_easy *easy) {
    int descriptor = -1;
    curl.easy_getinfo(easy, 0x500000 + 44 /* CURLINFO_ACTIVESOCKET */, &descriptor);
    return descriptor;
}

int ccurl_pause(ccurl_easy *easy, int bits) { return curl.easy_pause(easy, bits); }

ccurl_list *ccurl_list_append(ccurl_list *list, const char *text) {
    return curl.list_append(list, text);
}

void ccurl_list_free(ccurl_list *list) {
    if (list) curl.list_free(list);
}

ccurl_multi *ccurl_multi_make(
    int (*socket)(void *, int, int, void *, void *), int (*timer)(void *, long, void *)) {
    ccurl_multi *multi = curl.multi_init();
    if (!multi) return NULL;
    curl.multi_setopt(multi, 20001 /* CURLMOPT_SOCKETFUNCTION */, socket);
    curl.multi_setopt(multi, 20004 /* CURLMOPT_TIMERFUNCTION */, timer);
    return multi;
}

void ccurl_multi_set_context(ccurl_multi *multi, void *context) {
    curl.multi_setopt(multi, 10002 /* CURLMOPT_SOCKETDATA */, context);
    curl.multi_setopt(multi, 10005 /* CURLMOPT_TIMERDATA */, context);
}

void ccurl_multi_free(ccurl_multi *multi) { curl.multi_cleanup(multi); }

void ccurl_multi_set(ccurl_multi *multi, enum ccurl_multi_option option, long value) {
    curl.multi_setopt(multi, (int)option, value);
}

int ccurl_multi_add(ccurl_multi *multi, ccurl_easy *easy) { return curl.multi_add(multi, easy); }

int ccurl_multi_remove(ccurl_multi *multi, ccurl_easy *easy) { return curl.multi_remove(multi, easy); }

int ccurl_multi_ready(ccurl_multi *multi, int descriptor, int ready) {
    int running = 0;
    return curl.multi_action(multi, descriptor, ready, &running);
}

int ccurl_multi_time_out(ccurl_multi *multi) { return ccurl_multi_ready(multi, -1, 0); }

void ccurl_multi_go_on(ccurl_multi *multi) {
    int running = 0;
    // This function is deprecated because it is slow, but curl_multi_perform reports no new sockets.
    curl.multi_all(multi, &running);
}

ccurl_easy *ccurl_multi_next_ended(ccurl_multi *multi, int *code) {
    int left = 0;
    // There is only one kind of message: it says that a transfer has ended.
    struct message_layout *message = curl.multi_read(multi, &left);
    if (!message) return NULL;
    *code = message->data.code;
    return message->easy;
}
