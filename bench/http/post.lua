-- What a delivery is to the endpoint: the same headers, and as many bytes of JSON.
wrk.method = "POST"
wrk.body = '{"order":"1234567","amount":4200,"currency":"EUR","fill":"' .. string.rep("A", 190) .. '"}'
wrk.headers = {
  ["User-Agent"] = "makegood/0.1.0",
  ["Content-Type"] = "application/json",
  ["ce-specversion"] = "1.0",
  ["ce-id"] = "018f2f4e-5b1c-7c3a-9d2e-0123456789ab",
  ["ce-source"] = "/makegood/makegood_outbox/t0",
  ["ce-type"] = "bench.evt",
  ["ce-time"] = "2024-05-01T12:00:00.000Z",
  ["ce-tenant"] = "t0",
  ["ce-sequence"] = "0000000000001234567",
  ["makegood-outbox"] = "makegood_outbox",
  ["makegood-tenant"] = "t0",
  ["makegood-topic"] = "bench.evt",
  ["makegood-sequence"] = "1234567",
  ["makegood-incarnation"] = "018f2f4e-5b1c-7c3a-9d2e-0123456789ab",
  ["makegood-attempt"] = "1",
  ["Idempotency-Key"] = "018f2f4e-5b1c-7c3a-9d2e-0123456789ab",
  ["webhook-id"] = "018f2f4e-5b1c-7c3a-9d2e-0123456789ab",
  ["webhook-timestamp"] = "1714564800",
  ["source"] = "bench",
  ["version"] = "1",
}
