// The flags of a headless Chromium that sends no requests of its own.
'use strict';
module.exports = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];
