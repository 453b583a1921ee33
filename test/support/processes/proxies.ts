// The proxy samples of `deploy/proxy` in front of several processes, without TLS.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../../../scripts/set-up/commands.mjs'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { waitFor } from '../oracles/wait-for.ts'

export type ProxyName = 'HAProxy' | 'nginx'

const sample = (name: string) => readFileSync(new URL(`../../../deploy/proxy/${name}`, import.meta.url), 'utf8')

const serverLines = (ports: number[], line: (port: number, nth: number) => string) => ports.map(line).join('\n')

/** Replaces one line of a sample, and fails if the sample no longer has it. */
function changed(text: string, ...changes: Array<[RegExp, string]>): string {
  return changes.reduce((changing, [line, by]) => {
    if (!line.test(changing)) throw new Error(`the sample has no line ${line}`)
    return changing.replace(line, by)
  }, text)
}

const configurations = {
  HAProxy: (port: number, upstreams: number[], folder: string) =>
    changed(
      sample('haproxy.cfg'),
      [/^ {2}log \/dev\/log local0\n/m, '  log stdout format raw local0\n'],
      [/maxconn 20000/, 'maxconn 1000'],
      [/^ {2}bind :80\n.*bind :443.*\n/m, `  bind 127.0.0.1:${port}\n`],
      [/^ {2}http-request redirect scheme.*\n/m, ''],
      [/X-Forwarded-Proto https/, 'X-Forwarded-Proto http'],
      [/-i connect\.example\.com/, '-i 127.0.0.1'],
      [
        /^ {2}server onboarding .*\n/m,
        serverLines(upstreams, (at, nth) => `  server s${nth} 127.0.0.1:${at} check inter 1s fall 2 rise 1\n`),
      ],
    ).replaceAll('/etc/haproxy', folder),
  nginx: (port: number, upstreams: number[], folder: string) => {
    const text = changed(
      sample('nginx.conf'),
      [
        /^ {2}server 127\.0\.0\.1:3000.*\n/m,
        serverLines(upstreams, (at) => `  server 127.0.0.1:${at} max_fails=1 fail_timeout=2s;\n`),
      ],
      [/^server \{\n {2}listen 80;[\s\S]*?^\}\n/m, ''],
      [/ {2}listen 443 ssl http2;\n.*\n {2}server_name connect.*\n/, `  listen 127.0.0.1:${port};\n`],
      [/\$host;\n/, '$http_host;\n'],
      [/X-Forwarded-Proto https/, 'X-Forwarded-Proto http'],
      [/^server \{\n {2}listen 443[\s\S]*?^\}\n/m, ''],
    )
    const own = text.replaceAll(/^ *ssl_.*\n/gm, '').replaceAll('/var/log/nginx', folder)
    return `daemon off; pid ${folder}/pid; error_log ${folder}/start.log; events {} http { ${own} }`
  },
}

export async function startProxy(name: ProxyName, upstreams: number[]) {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-proxy-'))
  const port = await freePort()
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, configurations[name](port, upstreams, folder))
  const program = findProgram([name.toLowerCase(), `/usr/sbin/${name.toLowerCase()}`]) ?? name
  const child = spawn(program, [name === 'nginx' ? '-c' : '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const exited = once(child, 'exit')
  await Promise.race([
    waitFor('the proxy responds', () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    ),
    exited.then(() => Promise.reject(new Error(`the proxy ended: ${output}`))),
  ])
  return {
    port,
    /** Everything it has logged. */
    logs: () => {
      if (name === 'HAProxy') return output
      return ['causeway.log', 'causeway-error.log'].map((log) => readFileSync(join(folder, log), 'utf8')).join('\n')
    },
    async stop() {
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true })
    },
  }
}
