# Made from crates/apps/gateway-cli/packaging/homebrew.rb by `.ci/release formula`.
class Gateway < Formula
  desc "Candidates, vacancies and SMS credits of a recruitment gateway"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/gateway-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256 aarch64-apple-darwin@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/gateway-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256 x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/gateway-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/gateway-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256 x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "gateway"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/gateway.bash" => "gateway"
    zsh_completion.install "completions/_gateway"
    fish_completion.install "completions/gateway.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gateway --version")
    assert_match "email", shell_output("#{bin}/gateway --demo candidates list")
  end
end
