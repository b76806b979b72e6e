// A limit order at the spot market, read again, and the book of a contract over a socket.
import ccxt from 'ccxt'

const exchange = new ccxt.pro.weex({
  apiKey: process.env.WEEX_API_KEY,
  secret: process.env.WEEX_API_SECRET,
  password: process.env.WEEX_PASSPHRASE
})
const order = await exchange.createOrder('BTC/USDT', 'limit', 'buy', 0.01, 60000)
const found = await exchange.fetchOrder(order.id, 'BTC/USDT')
await exchange.watchOrderBook('BTC/USDT:USDT')
await exchange.close()
console.log(found.status)
