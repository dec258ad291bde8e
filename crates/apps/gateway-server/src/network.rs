//! Networks of IP addresses.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

use crate::error::{Error, ErrorKind};

/// An IP address, or a network in CIDR notation such as `10.0.0.0/8`.
///
/// An IPv4-mapped IPv6 address is the IPv4 address.
///
/// # Examples
///
/// ```
/// use gateway_server::Network;
///
/// let network: Network = "10.0.0.0/8".parse()?;
/// assert!(network.contains([10, 1, 2, 3].into()));
/// assert!(!network.contains([11, 1, 2, 3].into()));
/// # Ok::<(), gateway_server::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network(IpNet);

impl Network {
    /// Returns whether an address belongs to the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    pub(crate) fn net(self) -> IpNet {
        self.0
    }
}

impl FromStr for Network {
    type Err = Error;

    /// Parses an address or a network. Host bits in a network are ignored.
    fn from_str(text: &str) -> Result<Self, Error> {
        let parsed = match text.parse::<IpAddr>() {
            Ok(address) => IpNet::from(address.to_canonical()),
            Err(_no_address) => {
                let network = text.parse::<IpNet>().map_err(|_error| invalid())?;
                // A typing error in the length could trust millions of addresses.
                if network.trunc() != network {
                    return Err(not_a_network(network));
                }
                network
            }
        };
        let address = parsed.addr().to_canonical();
        if address.is_ipv4() && parsed.addr().is_ipv6() {
            // The mapped addresses have a prefix of 96 bits. A shorter network contains other addresses, too.
            let length = parsed.prefix_len().checked_sub(96).ok_or_else(invalid)?;
            return IpNet::new(address, length).map(Self).map_err(|_error| invalid());
        }
        Ok(Self(parsed))
    }
}

fn invalid() -> Error {
    let help = "expected an IP address or a network, such as 192.0.2.1 or 10.0.0.0/8";
    Error::new(ErrorKind::Config, help)
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.prefix_len() == self.0.max_prefix_len() {
            return self.0.addr().fmt(f);
        }
        self.0.fmt(f)
    }
}

fn not_a_network(network: IpNet) -> Error {
    let (address, whole) = (network.addr(), network.trunc());
    let help = format!("{network} has an address within the network; write {address} or {whole}");
    Error::new(ErrorKind::Config, help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_networks_are_parsed_and_printed() {
        for (text, printed) in [
            ("192.0.2.1", "192.0.2.1"),
            ("192.0.2.1/32", "192.0.2.1"),
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("::1", "::1"),
            ("2001:db8::/32", "2001:db8::/32"),
            ("::ffff:10.1.2.3", "10.1.2.3"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ] {
            assert_eq!(text.parse::<Network>().unwrap().to_string(), printed);
        }
        for text in [
            "",
            "a",
            "10.0.0.0/33",
            "10.0.0.0/",
            "10/8",
            "[::1]",
            "1.2.3.4:80",
            "::/129",
            "10.1.2.3/8",
            "2001:db8::1/32",
        ] {
            assert_eq!(text.parse::<Network>().unwrap_err().kind(), ErrorKind::Config, "{text}");
        }
    }

    #[test]
    fn a_mapped_address_belongs_to_the_network_of_its_ipv4_address() {
        let network: Network = "10.0.0.0/8".parse().unwrap();
        assert!(network.contains("::ffff:10.9.9.9".parse().unwrap()));
        assert!(!network.contains("::10.9.9.9".parse().unwrap()));
    }
}
