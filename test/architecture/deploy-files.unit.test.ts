// Sample files of deployments are checked by the programs that read them, if those are installed.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram } from '../../scripts/set-up/commands.mjs'
import { readDocument } from './documents.ts'

const find = (name: string) => findProgram([name, `/usr/sbin/${name}`])
const [nginx, haproxy, caddy, systemdAnalyze] = ['nginx', 'haproxy', 'caddy', 'systemd-analyze'].map(find)

const units = readdirSync(new URL('../../deploy/systemd/', import.meta.url))

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'causeway-deploy-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

/** Certificate and key in one file, which all programs accept. */
function certificate(into: string): string {
  const file = join(into, 'connect.example.com.pem')
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=example.com']
  execFileSync('openssl', ['req', '-x509', ...options, '-keyout', `${file}.key`, '-out', `${file}.crt`], {
    stdio: 'ignore',
  })
  writeFileSync(file, readFileSync(`${file}.crt`, 'utf8') + readFileSync(`${file}.key`, 'utf8'))
  return file
}

/** The output of a program that rejects a file, or `content`. */
function judge(program: string | undefined, args: string[], env: NodeJS.ProcessEnv = {}): string {
  try {
    execFileSync(program ?? '', args, { encoding: 'utf8', stdio: 'pipe', env: { ...process.env, ...env } })
    return 'content'
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return stdout + stderr
  }
}

test.skipIf(!nginx)('nginx accepts the sample', () => {
  const here = folder()
  const pem = certificate(here)
  const sample = readDocument('deploy/proxy/nginx.conf')
    .replaceAll(/\/etc\/ssl\/causeway\/\S+\.(pem|key);/g, `${pem};`)
    .replaceAll('/var/log/nginx', here)
  writeFileSync(join(here, 'nginx.conf'), `pid ${here}/pid; error_log ${here}/log; events {} http { ${sample} }`)

  expect(judge(nginx, ['-t', '-q', '-c', join(here, 'nginx.conf')])).toBe('content')
})

test.skipIf(!haproxy)('HAProxy accepts the sample', () => {
  const here = folder()
  const pem = certificate(here)
  writeFileSync(join(here, 'haproxy.cfg'), readDocument('deploy/proxy/haproxy.cfg').replace('/etc/haproxy/certs/', pem))

  expect(judge(haproxy, ['-c', '-q', '-f', join(here, 'haproxy.cfg')])).toBe('content')
})

test.skipIf(!caddy)('Caddy accepts the file of compose.yaml, with TLS and without', () => {
  const file = new URL('../../deploy/proxy/Caddyfile', import.meta.url).pathname
  const judged = (scheme: string) =>
    judge(caddy, ['adapt', '--config', file, '--adapter', 'caddyfile'], {
      ONBOARDING_PUBLIC_URL: `${scheme}://connect.example.com`,
      PLATFORM_PUBLIC_URL: `${scheme}://platform.example.com`,
    })

  expect([judged('https'), judged('http')]).toEqual(['content', 'content'])
})

test.skipIf(!systemdAnalyze)('systemd accepts the units', () => {
  const here = folder()
  for (const unit of units) {
    // systemd-analyze looks for the program and the documentation of each unit.
    const text = readDocument(`deploy/systemd/${unit}`).replaceAll('/usr/bin/node', process.execPath)
    writeFileSync(join(here, unit), text.replace(/^Documentation=.*\n/m, ''))
    writeFileSync(join(here, unit.replace('.service', '@.service')), text.replace(/^Documentation=.*\n/m, ''))
  }

  const instances = units.map((unit) => unit.replace('.service', '@3001.service'))
  const files = [...units, ...instances].map((unit) => join(here, unit))
  expect(judge(systemdAnalyze, ['verify', ...files])).toBe('content')
})

test.each(['nginx.conf', 'haproxy.cfg'])('O27: %s logs no path that contains a token', (name) => {
  const sample = readDocument(`deploy/proxy/${name}`)
  const cut = /\((?:\?<causeway_page>)?(\/[a-z|/-]+)\)/.exec(sample)?.[1]?.split('|')

  expect(cut).toEqual(['/connect/', '/manage/', '/oauth/function-login/'])
})

test.each(['nginx.conf', 'haproxy.cfg', 'Caddyfile'])(
  '%s logs no queries and does not trust addresses that clients send',
  (name) => {
    const sample = readDocument(`deploy/proxy/${name}`).replaceAll(/^\s*#.*\n/gm, '')

    expect(sample).not.toMatch(/\$(request_uri|args|request)\b(?!;)|%HU|%r\b|%HQ|proxy_add_x_forwarded_for/)
    expect(sample).toMatch(/900s/)
  },
)

test.each(units)('%s drops privileges', (unit) => {
  const text = readDocument(`deploy/systemd/${unit}`)

  for (const setting of [
    'NoNewPrivileges=true',
    'ProtectSystem=strict',
    'CapabilityBoundingSet=\n',
    'User=causeway-',
  ]) {
    expect(text).toContain(setting)
  }
})

test.each(units)('%s allows what Node needs', (unit) => {
  const text = readDocument(`deploy/systemd/${unit}`)

  // V8 compiles at run time, and requests memory protection keys at start.
  expect(text).not.toContain('MemoryDenyWriteExecute=')
  if (text.includes('SystemCallFilter=')) {
    expect(text).toMatch(/^SystemCallFilter=@system-service @pkey$/m)
    expect(text).toContain('SystemCallErrorNumber=EPERM')
  }
})

test('the platform’s unit allows what bubblewrap needs', () => {
  const text = readDocument('deploy/systemd/causeway-platform.service')
  const settings = text.replaceAll(/^#.*\n/gm, '')

  expect(settings).toMatch(/^RestrictAddressFamilies=.*\bAF_NETLINK\b/m)
  expect(settings).not.toMatch(
    /RestrictNamespaces|SystemCallFilter|ProtectHostname|ProtectProc|ProtectKernel|PrivateDevices/,
  )
})

test('the platform’s unit delegates its control group, and survives a command that runs out of memory', () => {
  const text = readDocument('deploy/systemd/causeway-platform.service')

  expect(text).toMatch(/^Environment=CONTROL_GROUP=delegated$/m)
  expect(text).toMatch(/^Delegate=cpu memory pids$/m)
  expect(text).toMatch(/^OOMPolicy=continue$/m)
  expect(text).not.toContain('ProtectControlGroups=')
})

test.each(['onboarding', 'platform'])('%s restarts until its database is back', (name) => {
  const text = readDocument(`deploy/systemd/causeway-${name}.service`)

  expect(text).not.toMatch(/^Requires=/m)
  expect(text).toMatch(new RegExp(`^Wants=.*causeway-${name}-migrate`, 'm'))
  expect(text).toContain('StartLimitIntervalSec=0')
})

test.each(['onboarding', 'platform'])(
  'the owner role of the tables of %s has its own system user for migrations',
  (name) => {
    const migrate = readDocument(`deploy/systemd/causeway-${name}-migrate.service`)

    expect(migrate).toMatch(new RegExp(`^User=causeway-${name}-migrate\nDynamicUser=true$`, 'm'))
    expect(readDocument(`deploy/systemd/causeway-${name}.service`)).not.toContain('-owner.env')
  },
)

test.each(['onboarding', 'platform'])('a start of %s waits for readiness, also with several processes', (name) => {
  const text = readDocument(`deploy/systemd/causeway-${name}.service`)

  expect(text).toContain('ExecStartPost=-/usr/bin/node deploy/image/health-check.mjs /readyz')
  expect(text).toContain(`EnvironmentFile=-/etc/causeway/${name}@%i.env`)
})

test.each(['Dockerfile', 'docs/guides/install-on-a-machine.md'])('%s keeps the binaries of sharp', (file) => {
  const [command = ''] = /^.*npm prune .*$/m.exec(readDocument(file)) ?? []

  // They are optional dependencies. With --omit=optional they are missing, and uploading a logo answers 500.
  expect(command).toContain('--omit=dev')
  expect(command).not.toContain('optional')
})
