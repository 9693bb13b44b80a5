// producer DATABASE: invoices, payments and refunds, each with its message in the same SQLite transaction.
// Nothing of Makegood is needed here: a message is a row of makegood_outbox.
package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/url"
	"os"

	_ "github.com/mattn/go-sqlite3"
)

type invoiceGenerated struct {
	TenantID    string `json:"tenantId"`
	InvoiceID   string `json:"invoiceId"`
	PeriodStart string `json:"periodStart"`
	PeriodEnd   string `json:"periodEnd"`
	Total       int64  `json:"total"`
	Currency    string `json:"currency"`
}

type paymentSucceeded struct {
	TenantID      string `json:"tenantId"`
	InvoiceID     string `json:"invoiceId"`
	TransactionID string `json:"transactionId"`
	PaymentMethod string `json:"paymentMethod"`
	Amount        int64  `json:"amount"`
	Currency      string `json:"currency"`
	OccurredTime  string `json:"occurredTime"`
}

type refundSucceeded struct {
	TenantID     string `json:"tenantId"`
	InvoiceID    string `json:"invoiceId"`
	RefundID     string `json:"refundId"`
	Amount       int64  `json:"amount"`
	Currency     string `json:"currency"`
	OccurredTime string `json:"occurredTime"`
}

var errDeclined = errors.New("the card was declined")

// All of it, or nothing.
func transaction(database *sql.DB, work func(*sql.Tx) error) error {
	tx, err := database.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // Does nothing after the commit.
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Messages of one invoice arrive in their order, because they have the same key.
func enqueue(tx *sql.Tx, topic, tenant, invoice string, event any) error {
	payload, err := json.Marshal(event)
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload) VALUES (?, ?, ?, ?)",
		topic, tenant, invoice, string(payload)) // A string: bytes would become a BLOB.
	return err
}

func generateInvoice(database *sql.DB, tenant string, total int64) (number int64, err error) {
	err = transaction(database, func(tx *sql.Tx) error {
		row, err := tx.Exec("INSERT INTO invoice (tenant, total) VALUES (?, ?)", tenant, total)
		if err != nil {
			return err
		}
		number, _ = row.LastInsertId()
		invoice := fmt.Sprintf("inv-%d", number)
		return enqueue(tx, "billing.invoice.generated.v1", tenant, invoice,
			invoiceGenerated{tenant, invoice, "2026-10-01", "2026-10-31", total, "EUR"})
	})
	return number, err
}

func pay(database *sql.DB, tenant string, number, amount int64, isDeclined bool) error {
	return transaction(database, func(tx *sql.Tx) error {
		if _, err := tx.Exec("UPDATE invoice SET paid = paid + ? WHERE id = ?", amount, number); err != nil {
			return err
		}
		invoice, transactionID := fmt.Sprintf("inv-%d", number), fmt.Sprintf("tx-%d", number)
		err := enqueue(tx, "billing.payment.succeeded.v1", tenant, invoice,
			paymentSucceeded{tenant, invoice, transactionID, "card", amount, "EUR", "2026-11-16T09:30:00Z"})
		if err == nil && isDeclined {
			return errDeclined // The message goes with the row.
		}
		return err
	})
}

func refund(database *sql.DB, tenant string, number, amount int64) error {
	return transaction(database, func(tx *sql.Tx) error {
		if _, err := tx.Exec("UPDATE invoice SET paid = paid - ? WHERE id = ?", amount, number); err != nil {
			return err
		}
		invoice := fmt.Sprintf("inv-%d", number)
		return enqueue(tx, "billing.refund.succeeded.v1", tenant, invoice,
			refundSucceeded{tenant, invoice, fmt.Sprintf("re-%d", number), amount, "EUR", "2026-11-16T11:45:00Z"})
	})
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	// immediate: what is read in a transaction is still true when it writes.
	path := url.URL{Scheme: "file", Opaque: (&url.URL{Path: os.Args[1]}).EscapedPath(),
		RawQuery: "_txlock=immediate&_busy_timeout=5000"}
	database, err := sql.Open("sqlite3", path.String())
	must(err)
	defer database.Close()
	_, err = database.Exec("CREATE TABLE IF NOT EXISTS invoice" +
		" (id INTEGER PRIMARY KEY, tenant TEXT, total INTEGER, paid INTEGER DEFAULT 0)")
	must(err)
	number, err := generateInvoice(database, "acme", 1990)
	must(err)
	must(pay(database, "acme", number, 1990, false))
	if err := pay(database, "acme", number, 1, true); !errors.Is(err, errDeclined) {
		log.Fatal("a declined payment must not be committed: ", err)
	}
	must(refund(database, "acme", number, 500))
	fmt.Printf("inv-%d: generated, paid and refunded; three messages are committed with it\n", number)
}
