/** @type {import('next').NextConfig} */
export default {
  // This folder is all of it, wherever another lock file may be.
  turbopack: { root: import.meta.dirname },
}
