// producer URL: invoices, payments and refunds, each with its message in the same PostgreSQL transaction.
// Nothing of Makegood is needed here: a message is a row of makegood_outbox.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/jackc/pgx/v5"
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

// Messages of one invoice arrive in their order, because they have the same key.
func enqueue(ctx context.Context, tx pgx.Tx, topic, tenant, invoice string, event any) error {
	payload, err := json.Marshal(event)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "INSERT INTO makegood_outbox (topic, tenant_id, dispatch_key, payload) VALUES ($1, $2, $3, $4)",
		topic, tenant, invoice, payload)
	return err
}

// pgx.BeginFunc: all of it, or nothing.
func generateInvoice(ctx context.Context, database *pgx.Conn, tenant string, total int64) (number int64, err error) {
	err = pgx.BeginFunc(ctx, database, func(tx pgx.Tx) error {
		row := tx.QueryRow(ctx, "INSERT INTO invoice (tenant, total) VALUES ($1, $2) RETURNING id", tenant, total)
		if err := row.Scan(&number); err != nil {
			return err
		}
		invoice := fmt.Sprintf("inv-%d", number)
		return enqueue(ctx, tx, "billing.invoice.generated.v1", tenant, invoice,
			invoiceGenerated{tenant, invoice, "2026-10-01", "2026-10-31", total, "EUR"})
	})
	return number, err
}

func pay(ctx context.Context, database *pgx.Conn, tenant string, number, amount int64, isDeclined bool) error {
	return pgx.BeginFunc(ctx, database, func(tx pgx.Tx) error {
		// Locked before the message gets its number: so messages of an invoice are in the order of its changes.
		if _, err := tx.Exec(ctx, "UPDATE invoice SET paid = paid + $1 WHERE id = $2", amount, number); err != nil {
			return err
		}
		invoice, transactionID := fmt.Sprintf("inv-%d", number), fmt.Sprintf("tx-%d", number)
		err := enqueue(ctx, tx, "billing.payment.succeeded.v1", tenant, invoice,
			paymentSucceeded{tenant, invoice, transactionID, "card", amount, "EUR", "2026-11-16T09:30:00Z"})
		if err == nil && isDeclined {
			return errDeclined // The message goes with the row.
		}
		return err
	})
}

func refund(ctx context.Context, database *pgx.Conn, tenant string, number, amount int64) error {
	return pgx.BeginFunc(ctx, database, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE invoice SET paid = paid - $1 WHERE id = $2", amount, number); err != nil {
			return err
		}
		invoice := fmt.Sprintf("inv-%d", number)
		return enqueue(ctx, tx, "billing.refund.succeeded.v1", tenant, invoice,
			refundSucceeded{tenant, invoice, fmt.Sprintf("re-%d", number), amount, "EUR", "2026-11-16T11:45:00Z"})
	})
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	database, err := pgx.Connect(ctx, os.Args[1])
	must(err)
	defer database.Close(ctx)
	_, err = database.Exec(ctx, "CREATE TABLE IF NOT EXISTS invoice (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"+
		" tenant text, total bigint, paid bigint DEFAULT 0)")
	must(err)
	number, err := generateInvoice(ctx, database, "acme", 1990)
	must(err)
	must(pay(ctx, database, "acme", number, 1990, false))
	if err := pay(ctx, database, "acme", number, 1, true); !errors.Is(err, errDeclined) {
		log.Fatal("a declined payment must not be committed: ", err)
	}
	must(refund(ctx, database, "acme", number, 500))
	fmt.Printf("inv-%d: generated, paid and refunded; three messages are committed with it\n", number)
}
