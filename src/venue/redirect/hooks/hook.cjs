// Leads a node program's connections to the exchange's names to the venue. node loads it at its
// start. http, https, ws and fetch all connect by `net.Socket`.
'use strict'

const LOOPBACK = '127.0.0.1'
const settings = JSON.parse(process.env.VENUE_HOOK || '{}')

function isExchange (host) {
  const name = String(host).toLowerCase().replace(/\.$/, '')
  return name === settings.domain || name === settings.standsForIt ||
    name.endsWith('.' + settings.domain)
}

function isHere (host) {
  const name = String(host).toLowerCase()
  return name === 'localhost' || name.endsWith('.localhost') || /^127\./.test(name) ||
    name === '::1' || /^::ffff:127\./.test(name)
}

// The same options, or those of a door of this machine; an Error when the host is cut off.
function led (options) {
  if (options.path) return options
  const host = options.host || 'localhost'
  if (isExchange(host)) {
    const plain = Number(options.port) === settings.plainPort
    return { ...options, host: LOOPBACK, port: plain ? settings.plain : settings.secure }
  }
  if (settings.only && !isHere(host)) {
    return new Error(`${host} is cut off: venue with --only-venue`)
  }
  return options
}

function changeNode () {
  const net = require('node:net')
  const dns = require('node:dns')
  const connect = net.Socket.prototype.connect

  // The proxy counts the hosts that it is asked for and that are cut off.
  function tellProxy (host, port, then) {
    const asking = new net.Socket()
    asking.on('error', () => {})
    connect.call(asking, { host: LOOPBACK, port: settings.proxy })
    const shown = String(host).includes(':') ? `[${host}]` : host
    asking.end(`CONNECT ${shown}:${Number(port) || 443} HTTP/1.1\r\n\r\n`)
    asking.on('close', then)
    asking.resume()
  }

  net.Socket.prototype.connect = function (...given) {
    // node itself calls with one array of the options and a function
    const inner = Array.isArray(given[0]) ? given[0] : given
    const numbered = typeof inner[0] !== 'object'
    if (numbered && !/^\d+$/.test(String(inner[0]))) return connect.apply(this, given)
    const host = typeof inner[1] === 'string' ? inner[1] : undefined
    const options = numbered ? { port: Number(inner[0]), host } : inner[0]
    const place = led(options)
    if (place instanceof Error) {
      tellProxy(options.host, options.port, () => this.destroy(place))
      return this
    }
    if (place === options) return connect.apply(this, given)
    if (numbered && host !== undefined) inner.splice(1, 1)
    inner[0] = place
    return connect.apply(this, given)
  }

  for (const place of [dns, dns.promises]) {
    const lookup = place.lookup
    place.lookup = function (name, ...more) {
      return lookup.call(this, isExchange(name) ? settings.standsForIt : name, ...more)
    }
  }
}

if (settings.domain) changeNode()
