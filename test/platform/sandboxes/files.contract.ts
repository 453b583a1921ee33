// Files of a sandbox, as clients write, read, search and watch them. The same on every engine.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { get } from 'node:http'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import type { PlatformWorld } from '../../support/worlds/platform-world.ts'

type Served = { world: PlatformWorld; sandbox: string }

export const filePromises = ({ world, sandbox }: Served) =>
  describe('files of a sandbox', () => {
    const credential = { 'X-Service-Authorization': `Bearer ${world.admin.key}` }
    const base = `/acme/sandboxes/${sandbox}`
    const home = '/home/user'
    const client = () => request.agent(world.app).set(credential)
    /** Clients encode the whole path. */
    const file = (path: string) => `${base}/filesystem/${encodeURIComponent(path)}`
    const write = (path: string, content: string) => client().put(file(path)).send({ content }).expect(200)
    const read = async (path: string) => (await client().get(file(path)).expect(200)).body

    test('a file is written with its folders, read and deleted', async () => {
      await write(`${home}/notes/a.txt`, 'grüße\n')

      expect(await read(`${home}/notes/a.txt`)).toEqual({
        path: `${home}/notes/a.txt`,
        name: 'a.txt',
        size: 8,
        content: 'grüße\n',
      })
      await client()
        .delete(file(`${home}/notes/a.txt`))
        .expect(200)
      await client()
        .get(file(`${home}/notes/a.txt`))
        .expect(404)
    })

    test('an empty file is written, and an existing one is replaced', async () => {
      await write(`${home}/b`, 'long content')
      await write(`${home}/b`, 'short')
      await write(`${home}/empty`, '')

      expect((await read(`${home}/b`)).content).toBe('short')
      expect(await read(`${home}/empty`)).toMatchObject({ size: 0, content: '' })
    })

    test('bytes are written as a form, and read as they were', async () => {
      const bytes = randomBytes(300_000)
      await client()
        .put(file(`${home}/data.bin`))
        .field('permissions', '0644')
        .attach('file', bytes, 'data.bin')
        .expect(200)

      const { body, headers } = await client()
        .get(file(`${home}/data.bin`))
        .set('Accept', 'application/octet-stream')
        .buffer(true)
        .parse((res, done) => {
          const parts: Buffer[] = []
          res.on('data', (part: Buffer) => parts.push(part))
          res.on('end', () => done(null, Buffer.concat(parts)))
        })
        .expect(200)

      expect(bytes.equals(body)).toBe(true)
      expect(headers['content-disposition']).toContain('attachment')
    })

    test('a folder is created, listed, and deleted with its contents only if that is asked for', async () => {
      await client()
        .put(file(`${home}/made`))
        .send({ isDirectory: true, permissions: '0755' })
        .expect(200)
      await write(`${home}/made/x`, 'x')

      expect(await read(`${home}/made`)).toMatchObject({ files: [{ name: 'x', size: 1 }], subdirectories: [] })
      await client()
        .delete(file(`${home}/made`))
        .expect(400)
      await client()
        .delete(`${file(`${home}/made`)}?recursive=true`)
        .expect(200)
      await client()
        .get(file(`${home}/made`))
        .expect(404)
    })

    test('a tree is written and returned', async () => {
      const { body } = await client()
        .put(`${base}/filesystem/tree${home}/tree`)
        .send({ files: { 'a.txt': 'A', 'deep/b.txt': 'B' } })
        .expect(200)

      expect(body).toMatchObject({
        files: [{ name: 'a.txt' }],
        subdirectories: [{ name: 'deep', files: [{ name: 'b.txt' }] }],
      })
      await client().delete(`${base}/filesystem/tree${home}/tree`).expect(200)
    })

    test('a large file is uploaded in parts, in any order', async () => {
      const path = `${home}/large.bin`
      const parts = [randomBytes(5 * 1024 * 1024), randomBytes(1024 * 1024)]
      const upload = `${base}/filesystem-multipart`
      const { body: begun } = await client()
        .post(`${upload}/initiate/${encodeURIComponent(path)}`)
        .send({})
        .expect(200)
      for (const at of [1, 0]) {
        await client()
          .put(`${upload}/${begun.uploadId}/part?partNumber=${at + 1}`)
          .attach('file', parts[at] as Buffer, 'part')
          .expect(200)
      }

      await client()
        .post(`${upload}/${begun.uploadId}/complete`)
        .send({ parts: [{ partNumber: 2 }, { partNumber: 1 }] })
        .expect(200)

      const { body: sum } = await client()
        .post(`${base}/process`)
        .send({ command: `cksum < ${path}; ls -A ${home} | grep -c upload`, waitForCompletion: true })
      expect(sum.stdout).toContain(` ${6 * 1024 * 1024}\n0\n`)
    })

    test('an upload can be aborted, and an invented one is not found', async () => {
      const upload = `${base}/filesystem-multipart`
      const { body } = await client()
        .post(`${upload}/initiate/${encodeURIComponent(`${home}/never`)}`)
        .send({})
      await client().put(`${upload}/${body.uploadId}/part?partNumber=1`).attach('file', Buffer.from('x'), 'part')

      await client().delete(`${upload}/${body.uploadId}/abort`).expect(200)
      const invented = Buffer.from('["../../../..","/etc"]').toString('base64url')
      await client().delete(`${upload}/${invented}/abort`).expect(404)
      await client()
        .get(file(`${home}/never`))
        .expect(404)
    })

    test('texts are found in files, also those that a shell would interpret', async () => {
      await write(`${home}/found/a.txt`, 'one\nthe $(touch /tmp/pwned) needle\n')
      await write(`${home}/found/node_modules/b.txt`, 'needle')
      const search = (query: string, more = '') =>
        client().get(
          `${base}/filesystem-content-search/${encodeURIComponent(`${home}/found`)}?query=${encodeURIComponent(query)}${more}`,
        )

      const { body } = await search('$(touch /tmp/pwned) NEEDLE').expect(200)
      const { body: exact } = await search('NEEDLE', '&caseSensitive=true').expect(200)
      const { body: other } = await search('needle', '&filePattern=*.md').expect(200)

      expect(body).toMatchObject({
        matches: [{ path: `${home}/found/a.txt`, line: 2, column: 5, text: 'the $(touch /tmp/pwned) needle' }],
        total: 1,
      })
      expect([exact.total, other.total]).toEqual([0, 0])
      await client().get(file('/tmp/pwned')).expect(404)
    })

    test('files and folders are found by name', async () => {
      await write(`${home}/names/deep/a.ts`, '')
      await write(`${home}/names/.hidden.ts`, '')
      const find = (query: string) =>
        client().get(`${base}/filesystem-find/${encodeURIComponent(`${home}/names`)}?${query}`)

      const { body: byName } = await find('patterns=*.ts,*.js').expect(200)
      const { body: folders } = await find('type=directory').expect(200)

      expect(byName.matches).toEqual([{ path: `${home}/names/deep/a.ts`, type: 'file' }])
      expect(folders.matches).toEqual([{ path: `${home}/names/deep`, type: 'directory' }])
    })

    test('a watcher hears of files that are created, written and removed', async () => {
      await client()
        .put(file(`${home}/watched`))
        .send({ isDirectory: true })
        .expect(200)
      const url = await world.listen()
      const req = get(`${url}${base}/watch/filesystem/${encodeURIComponent(`${home}/watched`)}`, {
        headers: credential,
      })
      const [res] = await once(req, 'response')
      let text = ''
      res.on('data', (part: Buffer) => {
        text += part
      })
      const heard = (op: string) =>
        waitFor(op, () => text.includes(JSON.stringify({ op, path: `${home}/watched`, name: 'a' })))

      await write(`${home}/watched/a`, '1')
      await heard('CREATE')
      await write(`${home}/watched/a`, 'longer')
      await heard('WRITE')
      await client()
        .delete(file(`${home}/watched/a`))
        .expect(200)
      await heard('REMOVE')
      req.destroy()
    })

    test.each(['/etc/x', '/usr/x', '/../x'])('nothing is written at %s', async (path) => {
      const { status } = await client().put(file(path)).send({ content: 'x' })

      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    })

    test('a file of more than 8 MB is rejected in one piece', async () => {
      await client()
        .put(file(`${home}/huge`))
        .attach('file', Buffer.alloc(9 * 1024 * 1024), 'huge')
        .expect(413)
    })
  })
