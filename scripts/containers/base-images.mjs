// Builds stand-ins for the images of compose.yaml from Debian and npm packages, for machines without access to an image
// registry.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { npm } from '../set-up/commands.mjs'
import { ltsNode, ltsNodeStep } from '../set-up/lts-node.mjs'
import { setUp } from '../set-up/set-up.mjs'

const packages = 'ca-certificates postgresql postgresql-client redis-server caddy'

/**
 * Follows the documentation of the official image: the first start runs initdb and initdb.d on a socket only. The
 * socket is in /tmp: some engines ignore the mode of the tmpfs for Debian's folder.
 */
const postgresEntry = `#!/bin/sh
set -eu
PATH=$PATH:$(dirname /usr/lib/postgresql/*/bin/postgres)
export PGDATA=/var/lib/postgresql/data/pgdata PGHOST=/tmp
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" | initdb -U postgres --pwfile=/dev/stdin --auth-local=trust --auth-host=scram-sha-256
  pg_ctl -w start -o "-c listen_addresses='' -c unix_socket_directories=/tmp"
  for script in /docker-entrypoint-initdb.d/*.sh; do . "$script"; done
  pg_ctl -w stop
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/tmp
`

/**
 * Beyond the packages that all images share.
 * @type {Record<string, string>}
 */
const images = {
  node: `COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN useradd -u 1000 -m node && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \\
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx`,
  postgres: `COPY postgres-entry /usr/local/bin/postgres-entry
RUN mkdir -p /var/lib/postgresql/data /docker-entrypoint-initdb.d && chown -R postgres /var/lib/postgresql
ENTRYPOINT ["postgres-entry"]`,
  redis: 'RUN mkdir -p /data && chown redis /data\nWORKDIR /data',
  caddy: `ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]`,
}

/**
 * @param {import('./engine.mjs').Engine} engine
 * @param {string} folder
 * @param {Record<string, string>} names images of compose.yaml and the Dockerfile, by role
 */
export async function makeBaseImages({ podman }, folder, names) {
  if (!(await exists(podman, 'localhost/common'))) await makeCommon(podman, folder)
  await setUp([ltsNodeStep])
  const context = join(folder, 'bases')
  mkdirSync(context, { recursive: true })
  cpSync(ltsNode, join(context, 'node'))
  cpSync(npmFolder(folder), join(context, 'npm'), { recursive: true, dereference: true })
  writeFileSync(join(context, 'postgres-entry'), postgresEntry, { mode: 0o755 })
  for (const [kind, name] of Object.entries(names)) {
    const image = `docker.io/library/${name}`
    const file = join(context, `Containerfile.${kind}`)
    const text = `FROM localhost/common\n${images[kind]}\n`
    const recipe = createHash('sha256').update(text).update(postgresEntry).digest('hex')
    if ((await recipeOf(podman, image)) === recipe) continue
    writeFileSync(file, text)
    await podman('build', '-q', '--network=host', '--label', `recipe=${recipe}`, '-t', image, '-f', file, context)
  }
}

/**
 * Undefined if the image does not exist.
 * @type {(podman: import('./engine.mjs').Engine['podman'], image: string) => Promise<string | undefined>}
 */
const recipeOf = (podman, image) =>
  podman('image', 'inspect', '-f', '{{index .Labels "recipe"}}', image).catch(() => undefined)

/** @type {(podman: import('./engine.mjs').Engine['podman'], image: string) => Promise<boolean>} */
const exists = (podman, image) =>
  podman('image', 'exists', image).then(
    () => true,
    () => false,
  )

/** @type {(podman: import('./engine.mjs').Engine['podman'], folder: string) => Promise<void>} */
async function makeCommon(podman, folder) {
  const root = join(folder, 'debian')
  rmSync(root, { recursive: true, force: true })
  execFileSync('debootstrap', ['--variant=minbase', 'bookworm', root], { stdio: ['ignore', 'ignore', 'inherit'] })
  execFileSync('tar', ['-C', root, '-cf', join(folder, 'debian.tar'), '.'])
  await podman('import', '-q', join(folder, 'debian.tar'), 'localhost/debian')
  rmSync(root, { recursive: true, force: true })
  const file = join(folder, 'Containerfile.common')
  const install = `apt-get update && apt-get install -y --no-install-recommends ${packages}`
  writeFileSync(
    file,
    `FROM localhost/debian
RUN printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d && ${install}
`,
  )
  await podman('build', '-q', '--network=host', '-t', 'localhost/common', '-f', file, folder)
}

/** @param {string} folder */
function npmFolder(folder) {
  const into = join(folder, 'npm')
  const npmPackage = join(into, 'node_modules/npm')
  if (!existsSync(npmPackage)) {
    const [program, ...args] = npm('install', '--prefix', into, '--no-save', '--no-package-lock', 'npm@11')
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], cwd: dirname(into) })
  }
  return npmPackage
}
