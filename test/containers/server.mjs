// The program of a tenant's image. It answers with what it got, and ends if it is told so.
import { createServer } from 'node:http'

const { PORT, GREETING: greeting } = process.env

createServer(async (req, res) => {
  const { method, url } = req
  if (url === '/exit') process.exit(1)
  if (url === '/slow') await new Promise((done) => setTimeout(done, 3_000))
  if (url === '/mcp') res.setHeader('mcp-session-id', 'session')
  let body = ''
  for await (const part of req) body += part
  res.setHeader('content-type', 'application/json')
  res.end(JSON.stringify({ greeting, method, url, body }))
}).listen(Number(PORT), '127.0.0.1')
