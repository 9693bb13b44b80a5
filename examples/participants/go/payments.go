// payments DATABASE [PORT]: payments as a participant of a saga, on SQLite.
// POST /charge is the action, POST /refund its compensation.
package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"

	_ "github.com/mattn/go-sqlite3"
)

const schema = `
CREATE TABLE IF NOT EXISTS payment (id INTEGER PRIMARY KEY, customer TEXT, cents INTEGER, state TEXT);
CREATE TABLE IF NOT EXISTS saga_barrier (
  tenant TEXT NOT NULL, execution TEXT NOT NULL, step TEXT NOT NULL,
  round INTEGER NOT NULL,  -- of the action
  state TEXT NOT NULL,     -- refused, done, failed, undone
  answer TEXT,             -- what was answered, and will be again
  PRIMARY KEY (tenant, execution, step, round));`

// Rows for all rounds up to this one. Whoever inserts a row decides what becomes of that round; all others read it.
const claimRounds = `
WITH RECURSIVE rounds (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rounds WHERE n < ?4)
INSERT INTO saga_barrier (tenant, execution, step, round, state)
SELECT ?1, ?2, ?3, n, 'refused' FROM rounds WHERE true ORDER BY n
ON CONFLICT DO NOTHING RETURNING round`

const findRound = `
SELECT state, answer FROM saga_barrier WHERE tenant = ?1 AND execution = ?2 AND step = ?3 AND round = ?4`

const keepRound = `
UPDATE saga_barrier SET state = ?5, answer = ?6 WHERE tenant = ?1 AND execution = ?2 AND step = ?3 AND round = ?4`

const undoRounds = `
UPDATE saga_barrier SET state = 'undone'
WHERE tenant = ?1 AND execution = ?2 AND step = ?3 AND round <= ?4 AND state = 'done' RETURNING answer`

type reply struct {
	status int
	body   string
}

// Certainly not done, and it will not be: the saga gets the code.
type refused string

func (code refused) Error() string { return string(code) }

type key struct {
	tenant, execution, step string
	round                   int64
}

func keyOf(headers http.Header) (key, error) {
	round := headers.Get("makegood-round")
	if headers.Get("makegood-direction") != "action" {
		round = headers.Get("makegood-action-round")
	}
	number, err := strconv.ParseInt(round, 10, 32)
	return key{headers.Get("makegood-tenant"), headers.Get("makegood-execution"), headers.Get("makegood-step"),
		number}, err
}

func (k key) values(more ...any) []any {
	return append([]any{k.tenant, k.execution, k.step, k.round}, more...)
}

// The first column of all rows.
func column[T any](tx *sql.Tx, query string, values ...any) (all []T, err error) {
	rows, err := tx.Query(query, values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one T
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// True: nobody has decided about this round yet, and now nobody else will.
func claim(tx *sql.Tx, k key) (bool, error) {
	rounds, err := column[int64](tx, claimRounds, k.values()...)
	for _, round := range rounds {
		if round == k.round {
			return true, err
		}
	}
	return false, err
}

// What was decided about this round before.
func stored(tx *sql.Tx, k key) (reply, error) {
	var state string
	var answer sql.NullString
	err := tx.QueryRow(findRound, k.values()...).Scan(&state, &answer)
	switch state {
	case "done":
		return reply{200, answer.String}, err
	case "failed":
		return reply{422, answer.String}, err
	}
	return reply{409, `{"code":"COMPENSATED"}`}, err
}

func keep(tx *sql.Tx, k key, state string, status int, answer any) (reply, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return reply{}, err
	}
	_, err = tx.Exec(keepRound, k.values(state, string(text))...)
	return reply{status, string(text)}, err
}

// Does it once. A repeat gets the first answer; what was compensated is refused for ever.
func act(tx *sql.Tx, k key, effect func() (any, error)) (reply, error) {
	isOurs, err := claim(tx, k)
	if err != nil {
		return reply{}, err
	}
	if !isOurs {
		return stored(tx, k)
	}
	if _, err := tx.Exec("SAVEPOINT effect"); err != nil {
		return reply{}, err
	}
	answer, err := effect()
	var code refused
	if errors.As(err, &code) { // What has failed leaves nothing behind.
		if _, err := tx.Exec("ROLLBACK TO SAVEPOINT effect"); err != nil {
			return reply{}, err
		}
		return keep(tx, k, "failed", 422, map[string]string{"code": string(code)})
	}
	if err != nil {
		return reply{}, err
	}
	return keep(tx, k, "done", 200, answer)
}

// Makes sure that the action has no effect, whether it was done, is still to come, or is undone already.
func compensate(tx *sql.Tx, k key, undo func(answer string) error) (reply, error) {
	if _, err := claim(tx, k); err != nil {
		return reply{}, err
	}
	answers, err := column[string](tx, undoRounds, k.values()...)
	if err != nil {
		return reply{}, err
	}
	for _, answer := range answers {
		if err := undo(answer); err != nil {
			return reply{}, err
		}
	}
	return reply{200, "{}"}, nil
}

type payment struct {
	ID int64 `json:"paymentId"`
}

func charge(tx *sql.Tx, body []byte) (any, error) {
	var order struct {
		Customer string
		Cents    int64
	}
	if err := json.Unmarshal(body, &order); err != nil {
		return nil, err
	}
	if order.Customer == "broke" {
		return nil, refused("INSUFFICIENT_FUNDS")
	}
	row, err := tx.Exec("INSERT INTO payment (customer, cents, state) VALUES (?, ?, 'charged')", order.Customer,
		order.Cents)
	if err != nil {
		return nil, err
	}
	id, err := row.LastInsertId()
	return payment{id}, err
}

func refund(tx *sql.Tx, answer string) error {
	var charged payment
	if err := json.Unmarshal([]byte(answer), &charged); err != nil {
		return err
	}
	_, err := tx.Exec("UPDATE payment SET state = 'refunded' WHERE id = ?", charged.ID)
	return err
}

func answerTo(database *sql.DB, request *http.Request, body []byte) (reply, error) {
	k, err := keyOf(request.Header)
	if err != nil {
		return reply{}, err
	}
	tx, err := database.Begin()
	if err != nil {
		return reply{}, err
	}
	defer tx.Rollback() // Does nothing after the commit.
	answer := reply{404, "{}"}
	switch request.URL.Path {
	case "/charge":
		answer, err = act(tx, k, func() (any, error) { return charge(tx, body) })
	case "/refund":
		answer, err = compensate(tx, k, func(answer string) error { return refund(tx, answer) })
	}
	if err != nil {
		return reply{}, err
	}
	return answer, tx.Commit()
}

func serve(database *sql.DB) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		answer := reply{}
		if err == nil {
			answer, err = answerTo(database, request, body)
		}
		if err != nil { // Rolled back, or nobody knows; the saga asks again.
			log.Print(request.URL.Path, ": ", err)
			answer = reply{500, "{}"}
		}
		response.Header().Set("Content-Type", "application/json")
		response.WriteHeader(answer.status)
		io.WriteString(response, answer.body)
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	// immediate: one writer after the other, from BEGIN on; nobody reads what another one is about to change.
	path := url.URL{Scheme: "file", Opaque: (&url.URL{Path: os.Args[1]}).EscapedPath(),
		RawQuery: "_txlock=immediate&_busy_timeout=20000&_synchronous=FULL"}
	database, err := sql.Open("sqlite3", path.String())
	must(err)
	_, err = database.Exec(schema)
	must(err)
	port := "8103"
	if len(os.Args) > 2 {
		port = os.Args[2]
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	must(err)
	fmt.Printf("payments at http://%s/\n", listener.Addr())
	must(http.Serve(listener, serve(database)))
}
