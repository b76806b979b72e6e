// A limit order at the spot market with net/http alone, read again.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

type order struct {
	OrderId int64
	Status  string
}

func signed(method, path, query, body string) order {
	stamp := fmt.Sprint(time.Now().UnixMilli())
	mac := hmac.New(sha256.New, []byte(os.Getenv("WEEX_API_SECRET")))
	mac.Write([]byte(stamp + method + path + query + body))
	place := "https://api-spot.weex.com" + path + query
	ask, _ := http.NewRequest(method, place, strings.NewReader(body))
	ask.Header.Set("Content-Type", "application/json")
	ask.Header.Set("ACCESS-KEY", os.Getenv("WEEX_API_KEY"))
	ask.Header.Set("ACCESS-PASSPHRASE", os.Getenv("WEEX_PASSPHRASE"))
	ask.Header.Set("ACCESS-TIMESTAMP", stamp)
	ask.Header.Set("ACCESS-SIGN", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	answer, problem := http.DefaultClient.Do(ask)
	if problem != nil {
		panic(problem)
	}
	defer answer.Body.Close()
	var found order
	if problem = json.NewDecoder(answer.Body).Decode(&found); problem != nil {
		panic(problem)
	}
	return found
}

func main() {
	body := `{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","quantity":"0.01","price":"60000"}`
	placed := signed("POST", "/api/v3/order", "", body)
	found := signed("GET", "/api/v3/order", fmt.Sprintf("?orderId=%d", placed.OrderId), "")
	if found.Status == "NEW" {
		fmt.Println("open")
	}
}
