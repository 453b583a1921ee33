import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeComponents } from '../packages/connect/react-components.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { npmInstall } from './npm-install.ts'

describeComponents('React 18', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), '{}')
  await npmInstall(folder, 'react@18', 'react-dom@18')
  return Object.fromEntries(['react', 'react-dom'].map((name) => [name, join(folder, 'node_modules', name)]))
})
