"""The proxies of the garden: the configuration of each, which it needs to keep connections to the server open and shared."""

import os
import subprocess

PACKAGES = "haproxy nginx-light varnish squid lighttpd trafficserver h2o apache2-bin caddy hitch".split()


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o644)
    return path


def haproxy(folder, port, to):
    return ["haproxy", "-db", "-f", write(folder, "haproxy.cfg", f"""
global
  nbthread 1
defaults
  mode http
  timeout connect 2s
  timeout client 2s
  timeout server 2s
  http-reuse always
frontend in
  bind 127.0.0.1:{port}
  default_backend out
backend out
  server one 127.0.0.1:{to}
""")]


def nginx(folder, port, to):
    temporary = "".join(f"  {name}_temp_path {folder};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return ["nginx", "-p", folder, "-e", f"{folder}/log", "-c", write(folder, "nginx.conf", f"""
daemon off;
master_process off;
pid {folder}/pid;
events {{ worker_connections 256; }}
http {{
  access_log off;
{temporary}
  client_header_timeout 2s;
  upstream out {{ server 127.0.0.1:{to}; keepalive 4; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://out;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_read_timeout 2s;
    }}
  }}
}}
""")]


def varnish(folder, port, to):
    vcl = write(folder, "default.vcl", f'vcl 4.1;\nbackend out {{ .host = "127.0.0.1"; .port = "{to}"; .first_byte_timeout = 2s; }}\n')
    return ["varnishd", "-F", "-j", "none", "-n", folder, "-a", f"127.0.0.1:{port}", "-f", vcl, "-p", "timeout_idle=2", "-s", "malloc,10m"]


def squid_settings(folder, port):
    # The worker has another user.
    os.chmod(folder, 0o777)
    return f"""
pid_filename {folder}/pid
cache_log {folder}/log
access_log none
cache deny all
http_access allow all
coredump_dir {folder}
shutdown_lifetime 0 seconds
request_timeout 2 seconds
request_start_timeout 2 seconds
pinger_enable off
netdb_filename none
digest_generation off
"""


def squid(folder, port, to):
    return ["squid", "-N", "-f", write(folder, "squid.conf", squid_settings(folder, port) + f"""
http_port 127.0.0.1:{port} accel defaultsite=127.0.0.1 no-vhost
cache_peer 127.0.0.1 parent {to} 0 no-query originserver no-digest name=out login=PASSTHRU
""")]


def lighttpd(folder, port, to):
    return ["lighttpd", "-D", "-f", write(folder, "lighttpd.conf", f"""
server.modules = ("mod_proxy")
server.document-root = "{folder}"
server.bind = "127.0.0.1"
server.port = {port}
server.max-read-idle = 2
proxy.server = ("" => (("host" => "127.0.0.1", "port" => {to})))
""")]


def trafficserver(folder, port, to):
    write(folder, "remap.config", f"map / http://127.0.0.1:{to}/\n")
    write(folder, "storage.config", f"{folder} 16M\n")
    write(folder, "ip_allow.yaml", "ip_allow:\n- apply: in\n  ip_addrs: 0/0\n  action: allow\n  methods: ALL\n")
    write(folder, "records.config", f"""
CONFIG proxy.config.http.server_ports STRING {port}:ip-in=127.0.0.1
CONFIG proxy.config.admin.user_id STRING #-1
CONFIG proxy.config.http.cache.http INT 0
CONFIG proxy.config.reverse_proxy.enabled INT 1
CONFIG proxy.config.url_remap.remap_required INT 1
CONFIG proxy.config.url_remap.pristine_host_hdr INT 1
CONFIG proxy.config.local_state_dir STRING {folder}
CONFIG proxy.config.log.logfile_dir STRING {folder}
CONFIG proxy.config.log.logging_enabled INT 0
CONFIG proxy.config.exec_thread.autoconfig INT 0
CONFIG proxy.config.exec_thread.limit INT 1
CONFIG proxy.config.http.transaction_no_activity_timeout_in INT 2
CONFIG proxy.config.http.connect_attempts_max_retries INT 0
""")
    return ["env", f"PROXY_CONFIG_CONFIG_DIR={folder}", f"TS_ROOT={folder}", "traffic_server"]


def h2o(folder, port, to):
    return ["h2o", "-m", "worker", "-c", write(folder, "h2o.conf", f"""
listen: {{ host: 127.0.0.1, port: {port} }}
num-threads: 1
http1-request-timeout: 2
hosts:
  default:
    paths:
      /:
        proxy.reverse.url: "http://127.0.0.1:{to}/"
        proxy.preserve-host: ON
        proxy.timeout.keepalive: 2000
        proxy.timeout.io: 2000
""")]


def apache2(folder, port, to):
    modules = "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in ("mpm_event", "authz_core", "proxy", "proxy_http"))
    return ["apache2", "-DFOREGROUND", "-d", folder, "-f", write(folder, "apache2.conf", f"""
{modules}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {folder}/pid
DefaultRuntimeDir {folder}
ErrorLog {folder}/log
StartServers 1
ThreadsPerChild 8
MinSpareThreads 4
MaxRequestWorkers 8
Timeout 2
ProxyPreserveHost On
ProxyPass / http://127.0.0.1:{to}/ disablereuse=off keepalive=on
""")]


def caddy(folder, port, to):
    return ["env", f"XDG_DATA_HOME={folder}", f"XDG_CONFIG_HOME={folder}", "caddy", "run", "--adapter", "caddyfile", "--config", write(folder, "Caddyfile", f"""
{{
  admin off
  auto_https off
  servers {{
    timeouts {{
      read_header 2s
    }}
  }}
}}
http://:{port} {{
  bind 127.0.0.1
  reverse_proxy 127.0.0.1:{to}
}}
""")]


def hitch(folder, port, to):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-keyout", f"{folder}/key", "-out", f"{folder}/certificate"], check=True, capture_output=True)
    with open(f"{folder}/key") as key, open(f"{folder}/certificate") as certificate:
        pem = write(folder, "pem", key.read() + certificate.read())
    return ["hitch", "--workers=1", "--user=nobody", "--group=nogroup", f"--backend=[127.0.0.1]:{to}", f"--frontend=[127.0.0.1]:{port}", pem]


ALL = [haproxy, nginx, varnish, squid, lighttpd, trafficserver, h2o, apache2, caddy, hitch]
# These pass bytes on without reading them: no other client has the same connection to the server.
TUNNELS = {"direct", "hitch"}
