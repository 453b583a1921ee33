// `npm run reset`: deletes the data of the demo.
import { basename, join } from 'node:path'
import { emptyDataFolder } from './data-folder.mjs'
import { dataFolder, setUpFolder } from './set-up/folders.mjs'
import { withLock } from './set-up/lock.mjs'
import { runScript } from './set-up/set-up.mjs'

await runScript(async () => {
  const onWait = () => console.error('Waiting for a set-up in this folder …')
  const outcome = await withLock(join(setUpFolder, 'lock'), onWait, () =>
    emptyDataFolder(dataFolder, basename(setUpFolder)),
  )
  if (outcome === 'in use') {
    console.error('A demo runs on this data: end it with Ctrl-C, then try again.')
    return 1
  }
  console.log('The data folder is empty: the next start begins anew.')
})
