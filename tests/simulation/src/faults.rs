//! The faults of a story: what breaks, when, and when it ends.

use std::time::Duration;

use fastrand::Rng;

use crate::account::Account;
use crate::gateway::{Gateway, HOST};
use crate::network::{Network, Weather, pause_up_to};
use crate::vault::Vault;
use crate::world::{World, pause};

/// Everything that can break.
#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) network: Network,
    pub(crate) account: Account,
    pub(crate) gateway: Gateway,
    pub(crate) vault: Vault,
}

impl Stage {
    /// Creates the network, the service and its data.
    pub(crate) fn new(world: &World) -> Self {
        let network = Network::new(world);
        let account = Account::new(world, &mut world.fork());
        let gateway = Gateway::start(world, &network, &account);
        let vault = Vault::new(world, &account);
        Self { world: world.clone(), network, account, gateway, vault }
    }

    /// Breaks things for `time`, then repairs everything.
    pub(crate) async fn faults(self, time: Duration) {
        let mut random = self.world.fork();
        let weather = Weather {
            delay: *random.choice(&[10, 80, 600]).unwrap_or(&80),
            breaks: random.u64(0..40),
            refused: random.u64(0..15),
        };
        self.network.set_weather(weather);
        self.gateway.set_front(random.u64(0..25));
        self.world.note(format!("faults begin {weather:?}"));
        let end = self.world.elapsed() + time;
        while self.world.elapsed() < end {
            pause_up_to(&mut random, time / 12).await;
            self.fault(&mut random).await;
        }
        self.network.set_weather(Weather::CLEAR);
        self.gateway.set_front(0);
        self.vault.calm();
        // Connections that are silent would fail later.
        self.network.reset(HOST);
        self.world.note("faults end");
    }

    /// Breaks one thing.
    async fn fault(&self, random: &mut Rng) {
        match random.u8(0..12) {
            0 => {
                let (there, back) = (random.bool(), random.bool());
                let time = Duration::from_millis(random.u64(100..20_000));
                self.world.note(format!("partition {there} {back} {time:?}"));
                self.network.partition(there, back, time);
            }
            1 | 2 => {
                self.gateway.crash();
                pause_up_to(random, Duration::from_secs(8)).await;
                self.gateway.restart();
            }
            3 => {
                self.world.note("connections reset");
                self.network.reset(HOST);
            }
            4 | 5 => self.vault.revoke(),
            6 => {
                let seconds = random.i64(-100_000..100_000);
                self.world.note(format!("the clock jumps by {seconds} s"));
                self.world.jump(seconds);
            }
            _ => self.account.change(random),
        }
    }

    /// Changes records for `time`, with pauses of at most `longest`, so that some change while a list is sent.
    pub(crate) async fn keep_changing(self, time: Duration, longest: Duration) {
        let mut random = self.world.fork();
        let end = self.world.elapsed() + time;
        while self.world.elapsed() < end {
            pause_up_to(&mut random, longest).await;
            self.account.change(&mut random);
            pause(Duration::from_millis(1)).await;
        }
    }
}
