import { execSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { diskSandboxFiles } from '../../../src/platform/gateway/adapters/sandbox-files.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
  mkdirSync(join(folder, 'docs'))
  writeFileSync(join(folder, 'docs', 'a'), 'text')
  symlinkSync('a', join(folder, 'docs', 'link'))
})

const files = () => diskSandboxFiles(folder)
const maxBytes = 1024 * 1024
const at = (path: string) => ({ folder, steps: path.split('/'), readOnly: false })
const isLinux = process.platform === 'linux'

test.each(['docs/none', 'none/a', 'docs/a/b', 'docs/link', 'docs'])('%s is not a file', async (path) => {
  await expect(files().read(at(path), maxBytes)).rejects.toMatchObject({ detail: 'File or folder not found.' })
})

test('rejects writing to a folder as a file', async () => {
  await expect(files().write(at('docs'), 'x')).rejects.toMatchObject({ code: 'input_invalid' })
})

test('listing a missing folder returns undefined', async () => {
  expect(await files().list(at('none'))).toBeUndefined()
})

test('X7: lists the first files of a very large folder and marks it as truncated', async () => {
  const many = join(folder, 'many')
  mkdirSync(many)
  execSync('seq 12000 | xargs touch', { cwd: many })

  const shown = await files().list(at('many'))

  expect(shown).toMatchObject({ cut: true })
  expect(shown?.files).toHaveLength(10_000)
})

test.runIf(isLinux)('a file without read permission is not reported as missing', async () => {
  const program = join(folder, 'program')
  copyFileSync('/bin/sleep', program)
  const running = spawn(program, ['60'])
  await once(running, 'spawn')

  const refused = files().write(at('program'), 'x')

  const told = { code: 'input_invalid', detail: 'The file or folder cannot be opened.' }
  await expect(refused).rejects.toMatchObject(told)
  running.kill()
})

test.runIf(isLinux)('a failing disk is reported as a fault, not as a missing file', async () => {
  const unreadable = { folder: '/proc/self', steps: ['mem'], readOnly: true }

  await expect(files().read(unreadable, maxBytes)).rejects.toMatchObject({ code: 'EIO' })
})

test.each([4, 0])('A5: a file of %i bytes that grows while it is read is read up to its old end', async (size) => {
  const path = join(folder, 'docs', 'a')
  truncateSync(path, size)
  const handle = await open(path)
  const prototype = Object.getPrototypeOf(handle) as typeof handle
  await handle.close()
  const stat = prototype.stat
  // A command may change the file between any two calls, here after each stat.
  const looked = vi.spyOn(prototype, 'stat').mockImplementation(async function (this: typeof handle) {
    const found = await stat.call(this)
    truncateSync(path, 64 * 1024 * 1024)
    return found as never
  })
  // The first stat checks that it is a file.
  looked.mockImplementationOnce(async function (this: typeof handle) {
    return (await stat.call(this)) as never
  })

  const read = await files()
    .read(at('docs/a'), maxBytes)
    .finally(() => looked.mockRestore())

  expect(read.length).toBe(size)
})
