// The baseline: express and pg with the same statements on the same table.
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import express from 'express'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const app = express()
app.disable('x-powered-by')
app.disable('etag')

app.get('/v0/drives/:name', async (req, res) => {
  const { rows } = await pool.query({
    name: 'get',
    text: 'select * from resources where workspace = $1 and kind = $2 and parent = $3 and name = $4',
    values: ['acme', 'drive', '', req.params.name],
  })
  res.json(rows[0])
})

app.post('/v0/drives', express.json(), async (req, res) => {
  const { metadata, spec } = req.body
  const event = {
    type: 'deployment',
    status: 'DEPLOYED',
    message: 'The drive is ready.',
    time: new Date().toISOString(),
  }
  const { rows } = await pool.query({
    name: 'create',
    text: `insert into resources (id, workspace, kind, name, display_name, labels, spec, status, events, search,
             created_at, updated_at, created_by, updated_by)
           values ($1, 'acme', 'drive', $2, $2, '{}', $3, 'DEPLOYED', $4, $5, now(), now(), 'bare', 'bare') returning *`,
    values: [
      randomUUID(),
      metadata.name,
      JSON.stringify(spec),
      JSON.stringify([event]),
      `${metadata.name}\n${metadata.name}`,
    ],
  })
  res.json(rows[0])
})

const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ ready: true, port: (server.address() as AddressInfo).port })
})
process.once('disconnect', () => process.exit(0))
