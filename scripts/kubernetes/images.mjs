// Loads test images into a node on this machine that cannot pull. CONTAINERD names the socket of its containerd.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram, Told } from '../set-up/commands.mjs'

const programs = 'sh base64 cat cut env find grep head id kill ls mkdir printf rm sleep stat tail touch true wc'

const images = {
  WORKLOAD_IMAGE: { name: 'docker.io/causeway-test/programs:1', command: ['/bin/sh'] },
  TASK_IMAGE: {
    name: 'docker.io/causeway-test/task:1',
    command: ['/bin/sh', '-c', 'printf "task %s: %s\\n" "$TASK_INDEX" "$(cat)"'],
  },
}

/** Variables with the names of the images. */
export async function loadImages() {
  const { CONTAINERD: socket, WORKLOAD_IMAGE = 'docker.io/library/busybox:1.36', TASK_IMAGE = '' } = process.env
  if (!socket) return { WORKLOAD_IMAGE, TASK_IMAGE }
  const busybox = findProgram(['busybox'])
  if (!busybox) {
    process.stderr.write('busybox is missing: install it (Debian: sudo apt-get install busybox-static).\n')
    throw new Told('busybox is missing')
  }
  return Object.fromEntries(
    Object.entries(images).map(([variable, { name, command }]) => {
      const file = pack(busybox, name, command)
      execFileSync('ctr', ['-a', socket, '-n', 'k8s.io', 'images', 'import', '--snapshotter', 'native', file])
      return [variable, name]
    }),
  )
}

/**
 * As `docker save` writes it: https://github.com/moby/docker-image-spec/blob/main/v1.2.md
 * @param {string} busybox
 * @param {string} name
 * @param {string[]} command
 */
function pack(busybox, name, command) {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-image-'))
  const bin = join(folder, 'root/bin')
  mkdirSync(bin, { recursive: true })
  for (const path of ['etc', 'usr', 'srv', 'proc', 'sys', 'dev', 'tmp', 'home']) mkdirSync(join(folder, 'root', path))
  copyFileSync(busybox, join(bin, 'busybox'))
  for (const program of programs.split(' ')) symlinkSync('busybox', join(bin, program))
  const tar = (/** @type {string[]} */ ...args) =>
    execFileSync('tar', ['--owner=0', '--group=0', '--sort=name', '--mtime=@0', ...args])
  tar('-cf', join(folder, 'layer.tar'), '-C', join(folder, 'root'), '.')
  const digest = (/** @type {Buffer | string} */ data) => createHash('sha256').update(data).digest('hex')
  const config = JSON.stringify({
    ...{ architecture: process.arch === 'arm64' ? 'arm64' : 'amd64', os: 'linux' },
    config: { Cmd: command, Env: ['PATH=/bin'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest(readFileSync(join(folder, 'layer.tar')))}`] },
  })
  writeFileSync(join(folder, 'config.json'), config)
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify([{ Config: 'config.json', RepoTags: [name], Layers: ['layer.tar'] }]),
  )
  tar('-cf', join(folder, 'image.tar'), '-C', folder, 'config.json', 'layer.tar', 'manifest.json')
  return join(folder, 'image.tar')
}
