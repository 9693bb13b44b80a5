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
/* NOLINTEND(modernize-use-using, readability-identifier-naming) */

/* Returns 0 and sets *sequence, or returns 1 and writes one sentence, cut to fit, into error (which may be NULL).
   outbox may be NULL for makegood_outbox. The connection must be inside a transaction. */
int makegood_sqlite_enqueue(struct sqlite3* db, const char* outbox, const makegood_message* message, int64_t* sequence,
                            char* error, size_t error_bytes);

#ifdef __cplusplus
}
#endif
#endif
