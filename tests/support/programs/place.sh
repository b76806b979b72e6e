# A limit order at the spot market, signed by openssl, and read again.
signed() { # METHOD PATH QUERY BODY
  ts=$(date +%s%3N)
  sig=$(printf %s "$ts$1$2$3$4" | openssl dgst -sha256 -hmac "$WEEX_API_SECRET" -binary | base64)
  curl -sS -X "$1" ${4:+-d "$4"} -H 'Content-Type: application/json' \
    -H "ACCESS-KEY: $WEEX_API_KEY" -H "ACCESS-PASSPHRASE: $WEEX_PASSPHRASE" \
    -H "ACCESS-TIMESTAMP: $ts" -H "ACCESS-SIGN: $sig" "https://api-spot.weex.com$2$3"
}
order='{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","quantity":"0.01","price":"60000"}'
id=$(signed POST /api/v3/order '' "$order" | sed 's/.*"orderId":"*\([0-9]*\).*/\1/')
signed GET /api/v3/order "?orderId=$id" '' | sed 's/.*"status":"NEW".*/open/'
echo
