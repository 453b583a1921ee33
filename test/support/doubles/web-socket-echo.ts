/** A WebSocket server for `node -e` (RFC 6455): repeats short texts, and closes after `close`. Declines `/none`. */
export const webSocketEcho = (port: number): string => `
const { createHash } = require("node:crypto")
const server = require("node:http").createServer((req, res) => res.end("plain " + (req.headers.upgrade ?? "request")))
server.on("upgrade", (req, socket) => {
  if (req.url === "/none") return socket.end("HTTP/1.1 403 Forbidden\\r\\nConnection: close\\r\\nContent-Length: 4\\r\\n\\r\\nnone")
  const key = req.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
  const accept = createHash("sha1").update(key).digest("base64")
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: " + accept + "\\r\\n\\r\\n")
  const send = (text) => socket.write(Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]))
  send([req.url, req.headers["x-service-authorization"] ?? "no key", req.headers.cookie ?? "no cookie"].join(" "))
  let rest = Buffer.alloc(0)
  socket.on("error", () => {})
  socket.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 6 && rest.length >= 6 + (rest[1] & 0x7f)) {
      const [length, mask] = [rest[1] & 0x7f, rest.subarray(2, 6)]
      const text = rest.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at % 4]).toString()
      if ((rest[0] & 0xf) === 8 || text === "close") return socket.end(Buffer.from([0x88, 2, 3, 0xe8]))
      send(text)
      rest = rest.subarray(6 + length)
    }
  })
})
server.listen(${port}, "127.0.0.1")`
