// The command line as one file, as quick to start as it is for its users.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { temporaryFolder } from '../../support/processes/stores.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export async function cliProgram(): Promise<string> {
  const outfile = `${temporaryFolder()}/causeway.mjs`
  await build({
    absWorkingDir: root,
    entryPoints: ['packages/cli/src/main.ts'],
    alias: { '@causeway/client': `${root}packages/client/src/client.ts` },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outfile,
    // A dependency of standardwebhooks is CommonJS.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    logLevel: 'warning',
  })
  return outfile
}
