/* Enqueue from C, and from any language that can call C, inside the caller's own SQLite transaction. */
#ifndef MAKEGOOD_SQLITE_H
#define MAKEGOOD_SQLITE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3;

/* This is C: NOLINTBEGIN(modernize-use-using, readability-identifier-naming) */

/* Zero it, then set what is needed. Texts end with a zero byte; NULL means the default. */
typedef struct makegood_message {
  const char* topic;
  const char* content; /* the exact bytes to deliver */
  size_t content_bytes;
  int is_body; /* 0: content is JSON (payload); 1: other bytes (body) */
  const char* event_id;
  const char* tenant_id;
  const char* dispatch_key;
  const char* content_type;
  const char* headers_json; /* an object of texts */
  const char* traceparent;
  const char* tracestate;
  const char* envelope_id;
  int priority;
  int64_t available_at_ms; /* 0: at once */
  int64_t expires_at_ms;   /* 0: never */
} makegood_message;

/* What became of a call. The numbers never change; later versions may add some. */
enum makegood_code {
  makegood_ok = 0,
  makegood_invalid = 1,            /* the message or another argument is not valid */
  makegood_not_in_transaction = 2, /* there is none, or SQLite has rolled it back: begin anew */
  makegood_conflict = 3,           /* the event id was used for a message with other content */
  makegood_payload_too_large = 4,
  makegood_store_unavailable = 5, /* locked by somebody else, or read-only: try again */
  makegood_store_full = 6,
  makegood_store_corrupt = 7,
  makegood_schema_mismatch = 8, /* the tables are missing or of another version: makegood migrate */
  makegood_internal = 9         /* anything else */
};

/* Zero it, then set what is needed. */
typedef struct makegood_enqueue_options {
  const char* outbox;       /* NULL: makegood_outbox */
  size_t content_bytes_max; /* 0: 256 KiB */
  int has_versioned_topics; /* 1: topics must be module.aggregate.event.vN */
  int may_autocommit;       /* 1: also outside of a transaction, as a message that stands alone */
} makegood_enqueue_options;

typedef struct makegood_enqueued {
  int64_t sequence;
  int was_there;   /* 1: the same event with the same content was there already, and this is its number */
  char error[256]; /* one sentence, cut to fit; empty when all went well */
} makegood_enqueued;
/* NOLINTEND(modernize-use-using, readability-identifier-naming) */

/* Returns a makegood_code. options and enqueued may be NULL. After an error, roll the transaction back. */
int makegood_sqlite_enqueue_with(struct sqlite3* db, const makegood_enqueue_options* options,
                                 const makegood_message* message, makegood_enqueued* enqueued);

/* The same in short. On success sets *sequence, otherwise writes one sentence, cut to fit, into error; both may be
   NULL. outbox may be NULL for makegood_outbox. */
int makegood_sqlite_enqueue(struct sqlite3* db, const char* outbox, const makegood_message* message, int64_t* sequence,
                            char* error, size_t error_bytes);

/* The text of a code as logs and the other interfaces have it (STORAGE.CONFLICT); "OK" for makegood_ok. */
const char* makegood_code_text(int code);

#ifdef __cplusplus
}
#endif
#endif
